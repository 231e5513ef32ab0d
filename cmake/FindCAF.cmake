# Finds caf_core. Debian ships neither a CMake config nor a pkg-config file for it. CAF_ROOT overrides the search
# (the tsan preset points it at an instrumented build).
include(FindPackageHandleStandardArgs)
find_path(CAF_INCLUDE_DIR caf/config.hpp)
find_library(CAF_CORE_LIBRARY caf_core)
mark_as_advanced(CAF_INCLUDE_DIR CAF_CORE_LIBRARY)
if(CAF_INCLUDE_DIR) # "#define CAF_VERSION 1706" means 0.17.6
  file(STRINGS "${CAF_INCLUDE_DIR}/caf/config.hpp" _version REGEX "^#define CAF_VERSION [0-9]+")
  string(REGEX REPLACE "[^0-9]" "" _version "${_version}")
  math(EXPR _major "${_version} / 10000")
  math(EXPR _minor "(${_version} / 100) % 100")
  math(EXPR _patch "${_version} % 100")
  set(CAF_VERSION "${_major}.${_minor}.${_patch}")
endif()
find_package_handle_standard_args(CAF REQUIRED_VARS CAF_CORE_LIBRARY CAF_INCLUDE_DIR VERSION_VAR CAF_VERSION)
if(CAF_FOUND AND NOT CAF_VERSION VERSION_LESS 0.18)
  message(FATAL_ERROR "CAF ${CAF_VERSION} found; Weir supports 0.17.x (see actors/caf_api.hpp for what a move needs)")
endif()
if(CAF_FOUND AND NOT TARGET CAF::core)
  find_package(Threads REQUIRED)
  add_library(CAF::core UNKNOWN IMPORTED)
  set_target_properties(CAF::core PROPERTIES IMPORTED_LOCATION "${CAF_CORE_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${CAF_INCLUDE_DIR}" INTERFACE_LINK_LIBRARIES Threads::Threads)
endif()
