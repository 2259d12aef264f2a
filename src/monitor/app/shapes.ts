/** MuJoCo shapes for three.js: shared by the live view and recorded episodes. */
import {
  AmbientLight,
  BoxGeometry,
  type BufferGeometry,
  CapsuleGeometry,
  Color,
  CylinderGeometry,
  DirectionalLight,
  GridHelper,
  MeshStandardMaterial,
  type Scene,
  SphereGeometry,
  SRGBColorSpace,
} from 'three';
import { colourText } from './theme.ts';

/** Colour by its name in the style sheet. */
export function colour(name: string): Color {
  return new Color(colourText(name) || '#888');
}

/** `sizeM`: half-lengths, axis along z. `undefined` for types that are not drawn: a floor already has a grid. */
export function geometryOf(type: string, sizeM: readonly number[]): BufferGeometry | undefined {
  const [a = 0, b = 0, c = 0] = sizeM;
  if (type === 'box') return new BoxGeometry(2 * a, 2 * b, 2 * c);
  if (type === 'sphere') return new SphereGeometry(a, 24, 16);
  if (type === 'ellipsoid') return new SphereGeometry(1, 24, 16).scale(a, b, c);
  // Round shapes of three.js lie along y.
  if (type === 'capsule') return new CapsuleGeometry(a, 2 * b, 8, 24).rotateX(Math.PI / 2);
  if (type === 'cylinder') return new CylinderGeometry(a, a, 2 * b, 32).rotateX(Math.PI / 2);
  return undefined;
}

/** `rgba`: each 0..1. */
export function materialOf([red = 0, green = 0, blue = 0, opacity = 1]: readonly number[]): MeshStandardMaterial {
  return new MeshStandardMaterial({
    color: new Color().setRGB(red, green, blue, SRGBColorSpace),
    transparent: opacity < 1,
    opacity,
    roughness: 0.6,
  });
}

/** Lights a scene. Returns the sun and the floor's grid, in the page's colours. */
export function lightUp(scene: Scene): { readonly sun: DirectionalLight; readonly floor: GridHelper } {
  const sun = new DirectionalLight(0xffffff, 2.2);
  sun.position.set(1, -2, 4);
  const floor = new GridHelper(2, 20, colour('--soft'), colour('--edge'));
  floor.rotateX(Math.PI / 2);
  scene.add(new AmbientLight(0xffffff, 1.4), sun, floor);
  return { sun, floor };
}
