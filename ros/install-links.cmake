# Run at install time: puts what is linked as a whole folder beside the installed program.
#
# Under colcon's --symlink-install that is also dist/, packages/ and config/, so that the next `npm run build` and a new robot's
# file count at once; colcon's own way links file by file, and a new file only at the next colcon build.

# Clears the place for `name`: a link must not be written into a folder that an earlier install copied.
function(rein_clear name)
  set(target "${REIN_SHARE_DIR}/${name}")
  if(IS_SYMLINK "${target}")
    file(REMOVE "${target}")
  elseif(EXISTS "${target}")
    file(REMOVE_RECURSE "${target}")
  endif()
endfunction()

function(rein_link name)
  rein_clear(${name})
  message(STATUS "Linking: ${REIN_SHARE_DIR}/${name}")
  file(CREATE_LINK "${REIN_SOURCE_DIR}/${name}" "${REIN_SHARE_DIR}/${name}" SYMBOLIC)
endfunction()

file(MAKE_DIRECTORY "${REIN_SHARE_DIR}")
if(REIN_COPY_NODE_MODULES)
  rein_clear(node_modules)
  message(STATUS "Copying: ${REIN_SHARE_DIR}/node_modules")
  file(COPY "${REIN_SOURCE_DIR}/node_modules" DESTINATION "${REIN_SHARE_DIR}" PATTERN ".cache" EXCLUDE)
else()
  rein_link(node_modules)
endif()
if(REIN_SYMLINK_INSTALL)
  rein_link(config)
  rein_link(dist)
  rein_link(packages)
else()
  # Found before those of node_modules, which lead to the source and its dist.
  file(MAKE_DIRECTORY "${REIN_SHARE_DIR}/dist/node_modules")
  foreach(name emulate lab)
    file(CREATE_LINK ../../packages/${name} "${REIN_SHARE_DIR}/dist/node_modules/rein-${name}" SYMBOLIC)
  endforeach()
endif()
