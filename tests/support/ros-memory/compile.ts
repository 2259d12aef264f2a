/** The guard's ROS half on a graph in memory, as modules that a process starts in a tenth of the time that transpiling them on the way takes. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Compiles both processes, each with all that it imports of this repository into a file below `dist/`; gives their paths. */
export async function compileRosHalf(): Promise<{ bridgeModule: string; stopperModule: string }> {
  const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  // Hidden from the build, which removes what has no source; and a place from where packages are found.
  const outdir = here('../../../dist/.ros-memory');
  await build({
    entryPoints: [here('bridge-process.ts'), here('stopper-process.ts')],
    outdir,
    bundle: true,
    packages: 'external',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  return { bridgeModule: `${outdir}/bridge-process.js`, stopperModule: `${outdir}/stopper-process.js` };
}
