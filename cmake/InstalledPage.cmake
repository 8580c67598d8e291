# cmake -D source=FILE -D output=FILE -P InstalledPage.cmake: a page as it is installed. Sources are not, so links to
# them become their texts; links to the folder configs, within it and to CHANGELOG.md stay.
file(READ ${source} page)
string(REGEX REPLACE "\\[([^]]*)\\]\\((pipeline|stages|kernels|io|tests|\\.\\.)/[^)]*\\)" "\\1" page "${page}")
string(REGEX REPLACE "\\[([^]]*)\\]\\(CONTRIBUTING.md[^)]*\\)" "\\1" page "${page}")
file(WRITE ${output} "${page}")
