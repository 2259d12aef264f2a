/** Peg insertion scene: the arm of `arm6.xml`, and a plate with a chamfered square hole of given dimensions. */
import { readFileSync } from 'node:fs';
import type { Triple } from './frames.ts';
import type { PegSceneSpec } from './options.ts';

/** Name of the movable fixture in scene layouts. Its origin is the centre of the hole's mouth, in the plate's top plane. */
export const HOLE_OBJECT = 'hole';

const PLATE_HALF_M = 0.06;
/** Distance from tool flange to peg tip, as in `tool.originXyzM` of the robot's configuration. */
const TOOL_LENGTH_M = 0.16;

/** Returns the scene as MJCF text. */
export function pegSceneXml(spec: PegSceneSpec): string {
  return armXml(spec.pegWidthM, spec.pegLengthM).replace('<!-- FIXTURE -->', fixtureXml(spec));
}

/** Returns the arm with its peg, without the plate, as MJCF text. */
export function bareArmXml(pegWidthM: number = 0.02, pegLengthM: number = 0.05): string {
  return armXml(pegWidthM, pegLengthM);
}

function armXml(pegWidthM: number, pegLengthM: number): string {
  const template = readFileSync(new URL('./arm6.xml', import.meta.url), 'utf8');
  const half = pegLengthM / 2;
  return template
    .replaceAll('PEG_LENGTH_HALF', number(half))
    .replaceAll('PEG_CENTRE', number(TOOL_LENGTH_M - half))
    .replaceAll('PEG_HALF', number(pegWidthM / 2));
}

/**
 * Returns the plate, a mocap body of geoms of the class `contact`: an upper ring as high as the chamfer, a lower ring
 * to the floor, four chamfer faces, the floor.
 */
export function fixtureXml(spec: PegSceneSpec): string {
  const inner = spec.pegWidthM / 2 + spec.clearanceM;
  const c = spec.chamferM;
  const geoms = [
    ...ring('rim', inner + c, -c, 0),
    ...ring('wall', inner, -spec.depthM, -c),
    ...chamfer(inner, c),
    box('floor_of_hole', [PLATE_HALF_M, PLATE_HALF_M, 0.005], [0, 0, -spec.depthM - 0.005]),
  ];
  return `<body name="${HOLE_OBJECT}" mocap="true">\n${geoms.join('\n')}\n</body>`;
}

/** Returns four boxes around a square opening of half-width `inner`, from height `bottom` to `top`. */
function ring(name: string, inner: number, bottom: number, top: number): string[] {
  const thickness = (PLATE_HALF_M - inner) / 2;
  const centre = inner + thickness;
  const halfHeight = (top - bottom) / 2;
  const z = (top + bottom) / 2;
  return [
    box(`${name}_x1`, [thickness, PLATE_HALF_M, halfHeight], [centre, 0, z]),
    box(`${name}_x0`, [thickness, PLATE_HALF_M, halfHeight], [-centre, 0, z]),
    box(`${name}_y1`, [inner, thickness, halfHeight], [0, centre, z]),
    box(`${name}_y0`, [inner, thickness, halfHeight], [0, -centre, z]),
  ];
}

/** Returns four thin boxes whose upper inner faces are the 45° chamfer; the rest of each is inside the plate. */
function chamfer(inner: number, c: number): string[] {
  const halfFace = c / Math.SQRT2;
  const halfThickness = c / (2 * Math.SQRT2);
  // Centre of the face, moved inwards by half the thickness.
  const offset = inner + c / 2 + halfThickness / Math.SQRT2;
  const z = -c / 2 - halfThickness / Math.SQRT2;
  const tilt = Math.PI / 4;
  return [
    box('chamfer_x1', [halfFace, inner + c, halfThickness], [offset, 0, z], [0, -tilt, 0]),
    box('chamfer_x0', [halfFace, inner + c, halfThickness], [-offset, 0, z], [0, tilt, 0]),
    box('chamfer_y1', [inner + c, halfFace, halfThickness], [0, offset, z], [tilt, 0, 0]),
    box('chamfer_y0', [inner + c, halfFace, halfThickness], [0, -offset, z], [-tilt, 0, 0]),
  ];
}

function box(name: string, halfSize: Triple, position: Triple, euler?: Triple): string {
  const turn = euler === undefined ? '' : ` euler="${euler.map(number).join(' ')}"`;
  const size = halfSize.map(number).join(' ');
  return `<geom name="${name}" class="contact" type="box" size="${size}" pos="${position.map(number).join(' ')}"${turn} rgba="0.45 0.52 0.58 1"/>`;
}

function number(value: number): string {
  return value.toFixed(9);
}
