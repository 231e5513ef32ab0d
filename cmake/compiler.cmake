# Compiler flags of every target, ccache, and the sanitizers of the asan and tsan presets.
find_program(CCACHE ccache)
if(CCACHE)
  # Without these ccache passes on whatever uses a precompiled header.
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${CCACHE}")
endif()

find_program(MOLD mold)
if(MOLD)
  add_link_options(-fuse-ld=mold)
endif()

add_library(weir_options INTERFACE)
target_include_directories(weir_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(weir_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Woverloaded-virtual
  $<$<BOOL:${WEIR_WERROR}>:-Werror>)
target_compile_definitions(weir_options INTERFACE $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>)

if(WEIR_SANITIZE)
  # g++ 12 sees uninitialised optionals in instrumented code where there are none.
  add_compile_options(-fsanitize=${WEIR_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<$<CXX_COMPILER_ID:GNU>:-Wno-error=maybe-uninitialized>)
  add_link_options(-fsanitize=${WEIR_SANITIZE})
  if(WEIR_SANITIZE MATCHES thread)
    # Both are false: of fences, which the sanitizer cannot see, and of overlong writes to strings.
    add_compile_options(-Wno-error=tsan $<$<CXX_COMPILER_ID:GNU>:-Wno-error=array-bounds>)
  endif()
endif()
