# What is installed, and the Debian package: cmake --install FOLDER; cpack -G DEB.
include(GNUInstallDirs)

# The folder of Python's modules: Debian's below /usr; below other prefixes PYTHONPATH has to name it.
set(TERRACE_PYTHON_FOLDER lib/python3/dist-packages)

# terrace_install(PROGRAM): the program with its man page, completion and reference, which it prints itself, the
# module for Python, the jobs of configs and pages.
function(terrace_install program)
  set(made ${CMAKE_BINARY_DIR}/share)
  file(MAKE_DIRECTORY ${made})
  set(documents)
  foreach(document "man:terrace.1" "completion bash:terrace.bash" "completion zsh:_terrace"
    "completion fish:terrace.fish" "reference:reference.md" "schema:job.schema.json")
    string(REGEX MATCH "^(.*):(.*)$" _ "${document}")
    separate_arguments(command UNIX_COMMAND "${CMAKE_MATCH_1}")
    set(file ${made}/${CMAKE_MATCH_2})
    add_custom_command(OUTPUT ${file} COMMAND ${program} ${command} > ${file} DEPENDS ${program} VERBATIM)
    list(APPEND documents ${file})
  endforeach()
  foreach(page README.md configs/README.md)
    set(file ${made}/${page})
    set(script ${CMAKE_SOURCE_DIR}/cmake/InstalledPage.cmake)
    add_custom_command(OUTPUT ${file}
      COMMAND ${CMAKE_COMMAND} -D source=${CMAKE_SOURCE_DIR}/${page} -D output=${file} -P ${script}
      DEPENDS ${CMAKE_SOURCE_DIR}/${page} ${script} VERBATIM)
    list(APPEND documents ${file})
  endforeach()
  add_custom_target(${program}_documents ALL DEPENDS ${documents})
  install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${made}/terrace.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES ${made}/terrace.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME terrace)
  # zsh of other systems, and of Debian below /usr/local, looks in the first; Debian's below /usr in the second.
  foreach(folder site-functions vendor-completions)
    install(FILES ${made}/_terrace DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/${folder})
  endforeach()
  install(FILES ${made}/terrace.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES ${made}/job.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/terrace)
  install(FILES ${CMAKE_SOURCE_DIR}/pipeline/python/terrace.py DESTINATION ${TERRACE_PYTHON_FOLDER})
  install(FILES ${made}/reference.md ${made}/README.md ${CMAKE_SOURCE_DIR}/CHANGELOG.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR})
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/configs DESTINATION ${CMAKE_INSTALL_DOCDIR} REGEX "/configs/README.md$" EXCLUDE)
  install(FILES ${made}/configs/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR}/configs)
endfunction()

set(CPACK_PACKAGE_NAME terrace)
set(CPACK_PACKAGE_VENDOR Terrace)
# Without an address: dpkg takes a maintainer who has none; only Debian's own archive asks for one.
set(CPACK_PACKAGE_CONTACT "The Terrace authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "dynamic programs and stencils larger than memory")
set(CPACK_PACKAGE_DESCRIPTION
  "Runs alignment tables, shortest paths, knapsacks, stencils and other dynamic
programs from disk through RAM and GPU memory within a stated budget, and writes
one HDF5 file. Jobs are YAML files; a run that was stopped resumes.")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Opened by the program itself where matrices are multiplied.
set(CPACK_DEBIAN_PACKAGE_DEPENDS libopenblas0-pthread)
include(CPack)
