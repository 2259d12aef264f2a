/**
 * The robot in 3-D: its own joints and shapes, moved by the measured joints, and once more, as a ghost, by the reference that the servos
 * follow. Base frame: x forward, y left, z up, m.
 */
import {
  AmbientLight,
  BoxGeometry,
  CapsuleGeometry,
  Color,
  DirectionalLight,
  EdgesGeometry,
  Euler,
  GridHelper,
  Group,
  LineBasicMaterial,
  LineSegments,
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
import type { FrameView } from '../../core/telemetry.ts';
import type { RunView } from '../../session/index.ts';

type Robot = RunView['robot'];
type Xyz = readonly [number, number, number];

/** Colours of the page, read from its style sheet: light and dark differ. */
function colour(name: string): Color {
  return new Color(getComputedStyle(document.documentElement).getPropertyValue(name).trim() || '#888');
}

/** A chain of joints with shapes on its links. */
class Arm {
  readonly root: Group = new Group();
  readonly tool: Object3D = new Object3D();
  readonly #joints: readonly { readonly turn: Object3D; readonly axis: Vector3; readonly slides: boolean }[];

  constructor(robot: Robot, material: MeshStandardMaterial) {
    const links = new Map<string, Object3D>([['base', this.root]]);
    let before: Object3D = this.root;
    this.#joints = robot.joints.map((joint) => {
      const parent = joint.parent === undefined ? before : (links.get(joint.parent) ?? before);
      const origin = new Object3D();
      origin.position.set(...joint.originXyzM);
      origin.quaternion.copy(rpy(joint.originRpyRad));
      const turn = new Object3D();
      origin.add(turn);
      parent.add(origin);
      links.set(joint.name, turn);
      before = turn;
      return { turn, axis: new Vector3(...joint.axis), slides: joint.kind === 'prismatic' || joint.kind === 'path' };
    });
    const last = links.get(robot.tool.link ?? robot.joints.at(-1)?.name ?? 'base') ?? before;
    this.tool.position.set(...robot.tool.originXyzM);
    this.tool.quaternion.copy(rpy(robot.tool.originRpyRad));
    last.add(this.tool);
    const capsules = robot.collision?.capsules ?? [];
    for (const { link, fromM, toM, radiusM } of capsules) links.get(link)?.add(capsule(fromM, toM, radiusM, material));
    if (capsules.length === 0) this.#drawBones(robot, links, material);
    this.tool.add(new Mesh(new SphereGeometry(0.008), material));
  }

  /** `jointsRad`: [n], m where a joint slides. */
  pose(jointsRad: ArrayLike<number>): void {
    this.#joints.forEach(({ turn, axis, slides }, i) => {
      const value = jointsRad[i] ?? 0;
      if (slides) turn.position.copy(axis).multiplyScalar(value);
      else turn.quaternion.setFromAxisAngle(axis, value);
    });
  }

  /** A robot without shapes of its own: a bone to the origin of each next joint. */
  #drawBones(robot: Robot, links: ReadonlyMap<string, Object3D>, material: MeshStandardMaterial): void {
    let parent = 'base';
    for (const { name, originXyzM, parent: named } of robot.joints) {
      links.get(named ?? parent)?.add(capsule([0, 0, 0], originXyzM, 0.025, material));
      parent = name;
    }
    links.get(robot.tool.link ?? parent)?.add(capsule([0, 0, 0], robot.tool.originXyzM, 0.02, material));
  }
}

export class RobotView {
  readonly #renderer: WebGLRenderer;
  readonly #scene: Scene = new Scene();
  readonly #camera: PerspectiveCamera = new PerspectiveCamera(40, 1, 0.01, 50);
  readonly #controls: OrbitControls;
  readonly #measured: Arm;
  readonly #ghost: Arm;
  readonly #objects = new Map<string, Object3D>();
  readonly #run: RunView;
  readonly #observer: ResizeObserver;

  /** Draws into `canvas`, whose size follows its element's. Throws where the browser has no WebGL. */
  constructor(canvas: HTMLCanvasElement, run: RunView) {
    const { robot } = run;
    this.#run = run;
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.#scene.add(new AmbientLight(0xffffff, 1.4));
    const sun = new DirectionalLight(0xffffff, 2.2);
    sun.position.set(1, -2, 4);
    this.#scene.add(sun);
    const floor = new GridHelper(2, 20, colour('--soft'), colour('--edge'));
    floor.rotateX(Math.PI / 2);
    this.#scene.add(floor);
    const solid = new MeshStandardMaterial({ color: colour('--blue'), roughness: 0.55, metalness: 0.15 });
    const pale = new MeshStandardMaterial({
      color: colour('--orange'),
      transparent: true,
      opacity: 0.28,
      depthWrite: false,
    });
    this.#measured = new Arm(robot, solid);
    this.#ghost = new Arm(robot, pale);
    this.#scene.add(this.#measured.root, this.#ghost.root);
    if (robot.workspace !== undefined) this.#scene.add(edges(robot.workspace, colour('--soft')));
    for (const box of robot.collision?.keepOut ?? []) this.#scene.add(edges(box, colour('--red')));
    const centre = centreOf(robot);
    this.#camera.up.set(0, 0, 1);
    this.#camera.position.set(centre.x + 1.1, centre.y - 1.3, centre.z + 0.8);
    this.#controls = new OrbitControls(this.#camera, canvas);
    this.#controls.target.copy(centre);
    this.#observer = new ResizeObserver(() => this.#resize());
    this.#observer.observe(canvas);
  }

  /** Shows a frame. */
  draw({ positionRad, referenceRad, objects }: FrameView): void {
    this.#measured.pose(positionRad);
    this.#ghost.pose(referenceRad);
    this.#run.objects.forEach((name, i) => {
      const object = this.#object(name);
      object.position.set(objects[4 * i] ?? 0, objects[4 * i + 1] ?? 0, objects[4 * i + 2] ?? 0);
      object.rotation.z = objects[4 * i + 3] ?? 0;
    });
    this.#controls.update();
    this.#renderer.render(this.#scene, this.#camera);
  }

  close(): void {
    this.#observer.disconnect();
    this.#controls.dispose();
    this.#renderer.dispose();
  }

  #object(name: string): Object3D {
    const known = this.#objects.get(name);
    if (known !== undefined) return known;
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
  }
}

/** Fixed-axis roll, pitch, yaw, as in URDF. */
function rpy([roll, pitch, yaw]: Xyz): Quaternion {
  return new Quaternion().setFromEuler(new Euler(roll, pitch, yaw, 'ZYX'));
}

function capsule(from: Xyz, to: Xyz, radius: number, material: MeshStandardMaterial): Mesh {
  const start = new Vector3(...from);
  const way = new Vector3(...to).sub(start);
  const mesh = new Mesh(new CapsuleGeometry(radius, way.length(), 6, 16), material);
  mesh.position.copy(start).addScaledVector(way, 0.5);
  // A capsule of three.js lies along y.
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

function centreOf({ workspace }: Robot): Vector3 {
  if (workspace === undefined) return new Vector3(0, 0, 0.2);
  const { minM, maxM } = workspace;
  return new Vector3((minM[0] + maxM[0]) / 2, (minM[1] + maxM[1]) / 2, (minM[2] + maxM[2]) / 2);
}
