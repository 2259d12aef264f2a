# Stops with what to run where node_modules or dist is missing, or dist is older than its sources. Included by
# CMakeLists.txt, and a script of its own at every build.
if(NOT DEFINED REIN_SOURCE_DIR)
  set(REIN_SOURCE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
endif()

if(NOT EXISTS "${REIN_SOURCE_DIR}/node_modules/zod/package.json")
  message(FATAL_ERROR "rein: its packages are not installed. Run: cd ${REIN_SOURCE_DIR} && npm ci && npm run build")
endif()

# Written last by scripts/build.js, and only after a build without errors.
set(stamp "${REIN_SOURCE_DIR}/dist/.stamp.json")
if(NOT EXISTS "${stamp}")
  message(FATAL_ERROR "rein: it is not compiled. Run: cd ${REIN_SOURCE_DIR} && npm run build")
endif()

file(GLOB_RECURSE sources "${REIN_SOURCE_DIR}/src/*" "${REIN_SOURCE_DIR}/packages/*/src/*")
list(FILTER sources EXCLUDE REGEX "\\.test\\.ts$|\\.md$|/__snapshots__/|/\\.[^/]*$")
foreach(source IN LISTS sources)
  # Files of the same time count as newer in CMake, so the question is put the other way round.
  if(NOT "${stamp}" IS_NEWER_THAN "${source}")
    file(RELATIVE_PATH name "${REIN_SOURCE_DIR}" "${source}")
    set(sentence "rein: dist is older than ${name}. Run: cd ${REIN_SOURCE_DIR} && npm run build")
    if(AMENT_CMAKE_SYMLINK_INSTALL)
      # The install links to dist, and follows the next `npm run build` without another colcon build.
      message(WARNING "${sentence}")
    else()
      message(FATAL_ERROR "${sentence}")
    endif()
    break()
  endif()
endforeach()
