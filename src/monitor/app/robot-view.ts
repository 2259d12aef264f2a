/**
 * 3-D view of the robot, posed by the measured joints, and a second, pale one posed by the servos' reference: drawn
 * with its visual shapes if it has any, otherwise with the safety chain's capsules. Base frame: x forward, y left, z
 * up, m.
 */
import {
  Box3,
  BoxGeometry,
  BufferGeometry,
  CapsuleGeometry,
  type Color,
  EdgesGeometry,
  Euler,
  Float32BufferAttribute,
  Group,
  LineBasicMaterial,
  LineSegments,
  type Material,
  Mesh,
  MeshStandardMaterial,
  Object3D,
  PerspectiveCamera,
  Quaternion,
  Scene,
  SphereGeometry,
  Vector3,
  WebGLRenderer,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { parentOf, shownCapsules, toolLinkOf } from '../../model/portable.ts';
import type { DrawnPose, DrawnScene, SceneShape } from '../../plant/mujoco.ts';
import { type FrameView, shownObjects } from '../../rows/portable.ts';
import type { RunView } from '../../session/index.ts';
import { colour, geometryOf, lightUp, materialOf } from './shapes.ts';

/** Camera direction, and its right-hand direction. */
const FROM = new Vector3(1.1, -1.3, 0.7).normalize();
const RIGHT = new Vector3(0, 0, 1).cross(FROM).normalize();
/** Margin factor around the bounding box, whose corners are empty; and smallest camera distance, m. */
const ROOM = 1;
const LEAST_M = 0.5;

type Robot = RunView['robot'];
type Xyz = readonly [number, number, number];

/** Kinematic chain with shapes on its links. */
class Arm {
  readonly root: Group = new Group();
  readonly tool: Object3D = new Object3D();
  /** Capsules of the links, as the safety chain knows them; bones if it knows none. */
  readonly capsules: Mesh[] = [];
  readonly #links = new Map<string, Object3D>([['base', this.root]]);
  readonly #joints: readonly { readonly turn: Object3D; readonly axis: Vector3; readonly slides: boolean }[];

  constructor(robot: Robot, material: Material) {
    let before: Object3D = this.root;
    this.#joints = robot.joints.map((joint, i) => {
      const parent = this.#links.get(parentOf(robot.joints, i)) ?? before;
      const origin = new Object3D();
      origin.position.set(...joint.originXyzM);
      origin.quaternion.copy(rpy(joint.originRpyRad));
      const turn = new Object3D();
      origin.add(turn);
      parent.add(origin);
      this.#links.set(joint.name, turn);
      before = turn;
      return { turn, axis: new Vector3(...joint.axis), slides: joint.kind === 'prismatic' || joint.kind === 'path' };
    });
    const last = this.#links.get(toolLinkOf(robot)) ?? before;
    this.tool.position.set(...robot.tool.originXyzM);
    this.tool.quaternion.copy(rpy(robot.tool.originRpyRad));
    last.add(this.tool);
    for (const { link, fromM, toM, radiusM } of shownCapsules(robot)) {
      const mesh = capsule(fromM, toM, radiusM, material);
      this.#links.get(link)?.add(mesh);
      this.capsules.push(mesh);
    }
    this.tool.add(new Mesh(new SphereGeometry(0.008), material));
  }

  /** `jointsRad`: [n], m for prismatic joints. */
  pose(jointsRad: ArrayLike<number>): void {
    this.#joints.forEach(({ turn, axis, slides }, i) => {
      const value = jointsRad[i] ?? 0;
      if (slides) turn.position.copy(axis).multiplyScalar(value);
      else turn.quaternion.setFromAxisAngle(axis, value);
    });
  }

  /** Attaches `mesh` to a link, keeping its present pose in the base frame at the joint positions set last. */
  attach(link: string, mesh: Mesh): void {
    this.#links.get(link)?.attach(mesh);
  }
}

/** Fields of a frame that are drawn. */
export type Pose = Pick<FrameView, 'positionRad' | 'referenceRad' | 'objects'> & Partial<Pick<FrameView, 'signals'>>;

export class RobotView {
  readonly #renderer: WebGLRenderer;
  readonly #scene: Scene = new Scene();
  readonly #camera: PerspectiveCamera = new PerspectiveCamera(40, 1, 0.01, 50);
  readonly #controls: OrbitControls;
  readonly #measured: Arm;
  readonly #reference: Arm;
  readonly #objects = new Map<string, Object3D>();
  readonly #run: RunView;
  readonly #solid: Material;
  readonly #pale: Material;
  readonly #observer: ResizeObserver;
  /** The camera shows the whole robot; and the user has turned it, so that it stays. */
  #isFramed = false;
  #isTurned = false;

  /** Draws into `canvas`, whose size follows its element's. Throws if the browser has no WebGL. */
  constructor(canvas: HTMLCanvasElement, run: RunView) {
    const { robot } = run;
    this.#run = run;
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    lightUp(this.#scene);
    const solid = new MeshStandardMaterial({ color: colour('--blue'), roughness: 0.55, metalness: 0.15 });
    const pale = new MeshStandardMaterial({
      color: colour('--orange'),
      transparent: true,
      opacity: 0.28,
      depthWrite: false,
      // Where both coincide, the measured robot is drawn in front.
      polygonOffset: true,
      polygonOffsetFactor: 2,
      polygonOffsetUnits: 2,
    });
    this.#solid = solid;
    this.#pale = pale;
    this.#measured = new Arm(robot, solid);
    this.#reference = new Arm(robot, pale);
    this.#scene.add(this.#measured.root, this.#reference.root);
    if (robot.workspace !== undefined) this.#scene.add(edges(robot.workspace, colour('--soft')));
    for (const box of robot.collision?.keepOut ?? []) this.#scene.add(edges(box, colour('--red')));
    this.#camera.up.set(0, 0, 1);
    this.#controls = new OrbitControls(this.#camera, canvas);
    this.#controls.addEventListener('start', () => {
      this.#isTurned = true;
    });
    this.#observer = new ResizeObserver(() => this.#resize());
    this.#observer.observe(canvas);
  }

  /** Replaces the shapes of links and objects by their own. Returns the number of shapes. */
  take({ jointsRad, shapes, bodies }: DrawnScene): number {
    const arms = [this.#measured, this.#reference];
    for (const arm of arms) {
      arm.pose(jointsRad);
      arm.root.updateMatrixWorld(true);
    }
    const names = this.#run.objects.filter((name) => bodies[name] !== undefined);
    for (const name of names) this.#scene.add(this.#put(name, bodies[name]!));
    let count = 0;
    for (const shape of shapes) {
      const geometry = meshOf(shape) ?? geometryOf(shape.type, shape.sizeM);
      if (geometry === undefined) continue;
      count++;
      const own = materialOf(shape.rgba);
      const object = this.#objects.get(shape.body);
      if (object !== undefined) object.attach(placed(geometry, own, shape.pose));
      else if (shape.link === 'base') this.#scene.add(placed(geometry, own, shape.pose));
      else {
        this.#measured.attach(shape.link, placed(geometry, own, shape.pose));
        this.#reference.attach(shape.link, placed(geometry, this.#pale, shape.pose));
      }
    }
    if (!this.#isTurned) this.#isFramed = false;
    // Capsules are drawn translucent over the visual shapes from now on.
    this.#solid.transparent = true;
    this.#solid.opacity = 0.35;
    this.#solid.depthWrite = false;
    return count;
  }

  /** Shows the links' capsules, as used by the safety chain. */
  set showsCapsules(isShown: boolean) {
    for (const mesh of this.#measured.capsules) mesh.visible = isShown;
    // The reference shows either capsules or shapes.
    for (const mesh of this.#reference.capsules) mesh.visible = isShown;
  }

  /** Shows a pose. */
  draw({ positionRad, referenceRad, objects, signals }: Pose): void {
    this.#measured.pose(positionRad);
    this.#reference.pose(referenceRad);
    const { task, objects: names } = this.#run;
    const numbers = shownObjects(names, signals === undefined ? [] : task.signalNames, { objects, signals });
    names.forEach((name, i) => {
      const object = this.#objects.get(name) ?? this.#box(name);
      const [x = 0, y = 0, z = 0, yaw = 0] = numbers.subarray(4 * i, 4 * i + 4);
      object.position.set(x, y, z);
      object.rotation.set(0, 0, yaw);
    });
    if (!this.#isFramed) this.#frame();
    this.#controls.update();
    this.#renderer.render(this.#scene, this.#camera);
  }

  /** Places the camera as near as shows the robot and its objects, from the front right and above. */
  #frame(): void {
    this.#isFramed = true;
    this.#scene.updateMatrixWorld(true);
    const shown = new Box3().setFromObject(this.#measured.root);
    for (const object of this.#objects.values()) shown.expandByObject(object);
    const centre = shown.getCenter(new Vector3());
    const slope = Math.tan((this.#camera.fov * Math.PI) / 360);
    const [right, up] = [RIGHT.clone(), new Vector3().crossVectors(FROM, RIGHT)];
    let awayM = LEAST_M;
    for (let corner = 0; corner < 8; corner++) {
      const at = new Vector3(
        corner & 1 ? shown.max.x : shown.min.x,
        corner & 2 ? shown.max.y : shown.min.y,
        corner & 4 ? shown.max.z : shown.min.z,
      ).sub(centre);
      const aside = Math.max(Math.abs(at.dot(right)) / this.#camera.aspect, Math.abs(at.dot(up)));
      awayM = Math.max(awayM, at.dot(FROM) + (ROOM * aside) / slope);
    }
    this.#controls.target.copy(centre);
    this.#camera.position.copy(centre).addScaledVector(FROM, awayM);
  }

  close(): void {
    this.#observer.disconnect();
    this.#controls.dispose();
    this.#renderer.dispose();
  }

  /** Creates a group for an object's shapes, at `pose`. */
  #put(name: string, pose: DrawnPose): Object3D {
    this.#objects.get(name)?.removeFromParent();
    const group = new Group();
    setPose(group, pose);
    this.#objects.set(name, group);
    return group;
  }

  /** Placeholder of an object without known shapes. */
  #box(name: string): Object3D {
    const material = new MeshStandardMaterial({ color: colour('--green'), roughness: 0.7 });
    const made = new Mesh(new BoxGeometry(0.04, 0.04, 0.02), material);
    this.#objects.set(name, made);
    this.#scene.add(made);
    return made;
  }

  #resize(): void {
    const { canvas } = { canvas: this.#renderer.domElement };
    const { clientWidth, clientHeight } = canvas;
    if (clientWidth === 0 || clientHeight === 0) return;
    this.#renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.#renderer.setSize(clientWidth, clientHeight, false);
    this.#camera.aspect = clientWidth / clientHeight;
    this.#camera.updateProjectionMatrix();
    if (!this.#isTurned) this.#isFramed = false;
  }
}

function setPose(object: Object3D, [x = 0, y = 0, z = 0, qw = 1, qx = 0, qy = 0, qz = 0]: DrawnPose): void {
  object.position.set(x, y, z);
  object.quaternion.set(qx, qy, qz, qw);
}

function placed(geometry: BufferGeometry, material: Material, pose: DrawnPose): Mesh {
  const mesh = new Mesh(geometry, material);
  setPose(mesh, pose);
  return mesh;
}

/** Geometry of a mesh shape; `undefined` for a primitive. */
function meshOf({ mesh }: SceneShape): BufferGeometry | undefined {
  if (mesh === undefined) return undefined;
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new Float32BufferAttribute(mesh.cornersM as number[], 3));
  geometry.setIndex(mesh.triangles as number[]);
  geometry.computeVertexNormals();
  return geometry;
}

/** Fixed-axis roll, pitch, yaw, as in URDF. */
function rpy([roll, pitch, yaw]: Xyz): Quaternion {
  return new Quaternion().setFromEuler(new Euler(roll, pitch, yaw, 'ZYX'));
}

function capsule(from: Xyz, to: Xyz, radius: number, material: Material): Mesh {
  const start = new Vector3(...from);
  const way = new Vector3(...to).sub(start);
  const mesh = new Mesh(new CapsuleGeometry(radius, way.length(), 6, 16), material);
  mesh.position.copy(start).addScaledVector(way, 0.5);
  // Capsules of three.js lie along y.
  if (way.lengthSq() > 0) mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), way.normalize());
  return mesh;
}

function edges({ minM, maxM }: { readonly minM: Xyz; readonly maxM: Xyz }, color: Color): LineSegments {
  const size = maxM.map((value, k) => value - minM[k]!) as [number, number, number];
  const box = new LineSegments(
    new EdgesGeometry(new BoxGeometry(...size)),
    new LineBasicMaterial({ color, transparent: true, opacity: 0.5 }),
  );
  box.position.set((minM[0] + maxM[0]) / 2, (minM[1] + maxM[1]) / 2, (minM[2] + maxM[2]) / 2);
  return box;
}
