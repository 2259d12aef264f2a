/** MJCF or URDF of a robot, as named by its driver: used for simulation and checks, and drawn. */
import { z } from 'zod';

export interface ModelSource {
  /** Path of the file, absolute once paths are resolved. */
  readonly model: string;
  /** Folders of ROS packages by name, for `package://` in a URDF. */
  readonly packages?: Readonly<Record<string, string>> | undefined;
}

export const packagesField = z
  .record(z.string().regex(/^[\w.-]+$/), z.string().min(1).max(4096))
  .meta({
    description:
      'Folders of ROS packages by name, for `package://` and absolute paths in a URDF; relative to this file. Others are looked for above the model, and on ROS_PACKAGE_PATH and AMENT_PREFIX_PATH.',
  })
  .optional();

type Named = { readonly [K in keyof ModelSource]?: ModelSource[K] | undefined };

/** Returns the model's source; `undefined` if none is named. */
export function modelSource({ model, packages }: Named): ModelSource | undefined {
  return model === undefined ? undefined : { model, ...(packages !== undefined && { packages }) };
}

/** Returns the same keys with paths converted by `from`. */
export function placedModel({ model, packages }: Named, from: (path: string) => string): Partial<ModelSource> {
  return {
    ...(model !== undefined && { model: from(model) }),
    ...(packages !== undefined && {
      packages: Object.fromEntries(Object.entries(packages).map(([name, folder]) => [name, from(folder)])),
    }),
  };
}
