# Readers of inputs, one a format, and what they share.
target_sources(terrace_io PRIVATE
  child_check.cpp
  convert.cpp
  direct_reader.cpp
  external.cpp
  fasta.cpp
  fasta_scanner.cpp
  generate.cpp
  hdf5_dataset.cpp
  hdf5_input.cpp
  hdf5_sources.cpp
  hdf5_storage.cpp
  graph.cpp
  graph_gml.cpp
  graph_lines.cpp
  gzip_reader.cpp
  image.cpp
  image_png.cpp
  image_pnm.cpp
  input_file.cpp
  kinds.cpp
  line_reader.cpp
  mutated.cpp
  npy.cpp
  npy_header.cpp
  numbers.cpp
  random.cpp
  raw_array.cpp
  read_queue.cpp
  reals.cpp
  shaped.cpp
  spans.cpp
  text_fields.cpp
  text_table.cpp
  translate.cpp
  values.cpp)
target_link_libraries(terrace_io PUBLIC PNG::PNG ZLIB::ZLIB)
