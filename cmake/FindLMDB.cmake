# Finds LMDB and gives LMDB::LMDB.
find_path(LMDB_INCLUDE_DIR NAMES lmdb.h)
find_library(LMDB_LIBRARY NAMES lmdb)
if(LMDB_INCLUDE_DIR AND EXISTS ${LMDB_INCLUDE_DIR}/lmdb.h)
  file(READ ${LMDB_INCLUDE_DIR}/lmdb.h header)
  foreach(part MAJOR MINOR PATCH)
    string(REGEX MATCH "#define[ \t]+MDB_VERSION_${part}[ \t]+([0-9]+)" line "${header}")
    list(APPEND version ${CMAKE_MATCH_1})
  endforeach()
  list(JOIN version "." LMDB_VERSION)
  unset(version)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LMDB REQUIRED_VARS LMDB_LIBRARY LMDB_INCLUDE_DIR VERSION_VAR LMDB_VERSION)

if(LMDB_FOUND AND NOT TARGET LMDB::LMDB)
  add_library(LMDB::LMDB UNKNOWN IMPORTED)
  set_target_properties(LMDB::LMDB PROPERTIES
    IMPORTED_LOCATION ${LMDB_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${LMDB_INCLUDE_DIR})
endif()
mark_as_advanced(LMDB_INCLUDE_DIR LMDB_LIBRARY)
