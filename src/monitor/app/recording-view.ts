/** 3-D view of a recorded episode, with a section through the hole, square to its walls. Base frame: x forward, y left, z up, m. */
import {
  BackSide,
  type Color,
  DecrementWrapStencilOp,
  FrontSide,
  IncrementWrapStencilOp,
  LessDepth,
  Mesh,
  MeshBasicMaterial,
  type MeshStandardMaterial,
  NotEqualStencilFunc,
  type Object3D,
  PerspectiveCamera,
  Plane,
  PlaneGeometry,
  Scene,
  ShadowMaterial,
  type Side,
  type StencilOp,
  Vector2,
  Vector3,
  WebGLRenderer,
  ZeroStencilOp,
} from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import type { RecordedScene, Xyz } from './recorded-scene.ts';
import { colour, geometryOf, lightUp, materialOf } from './shapes.ts';

/** Initial view direction, and limits of its elevation, rad. */
const HOME = { azimuth: -0.95, elevation: 0.42 };
const LOWEST = 0.03;
const HIGHEST = 1.5;
/** Half the angle filled by the scene's bounding sphere, rad. */
const HALF_VIEW = 0.3;
/** Offset to the right, in canvas widths, that leaves room for the close-up. */
const ASIDE = 0.14;
/** Close-up, as in the style sheet: width as a share of the picture's, gap to the corner, distance and elevation (rad) of its camera. */
const CLOSEUP_SHARE = 0.34;
const CLOSEUP_GAP_PX = 10;
const CUT_M = 0.15;
const CUT_ELEVATION = 0.12;
/** Depth shown behind the section, m: the rest of the arm would only distract. */
const NEAR_M = 0.15;
/** Half the length of the line across the hole, m. */
const LINE_HALF_M = 0.024;

interface Part {
  readonly geom: number;
  readonly solid: Mesh<Mesh['geometry'], MeshStandardMaterial>;
  /** Cap that shows the inside in one colour in the section plane; and the stencil masks that find where it is visible. */
  readonly cap: Mesh;
  readonly masks: readonly Mesh[];
}

/** Overlay of the close-up; coordinates 0..1 from the upper left. */
export interface CloseUp {
  readonly trace: readonly (readonly [number, number])[];
  /** Depth from which the peg counts as inserted; success comes before full insertion. */
  readonly line: readonly [from: readonly [number, number], to: readonly [number, number]] | undefined;
}

export class RecordingView {
  readonly scene: RecordedScene;
  readonly #renderer: WebGLRenderer;
  readonly #stage: Scene = new Scene();
  readonly #camera: PerspectiveCamera;
  readonly #closeUp: PerspectiveCamera = new PerspectiveCamera(degrees(0.91 * Math.tan(HALF_VIEW)), 1, 0.005, 10);
  readonly #controls: OrbitControls;
  readonly #parts: readonly Part[];
  readonly #floor: Object3D[] = [];
  readonly #cut: Plane = new Plane();
  readonly #sheet: PlaneGeometry = new PlaneGeometry(1, 1);
  readonly #masks: readonly MeshBasicMaterial[] = [
    maskOf(BackSide, IncrementWrapStencilOp, this.#cut),
    maskOf(FrontSide, DecrementWrapStencilOp, this.#cut),
  ];

  /** Draws into `canvas`; calls `changed` when the user has turned the view. Throws if the browser has no WebGL. */
  constructor(canvas: HTMLCanvasElement, scene: RecordedScene, changed: () => void) {
    this.scene = scene;
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true, stencil: true });
    this.#renderer.shadowMap.enabled = true;
    this.#renderer.localClippingEnabled = true;
    this.#renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.#parts = scene.solids.flatMap((geom) => this.#partOf(geom));
    this.#furnish();
    this.#camera = new PerspectiveCamera(degrees(0.8 * Math.tan(HALF_VIEW)), 1, 0.01, 50);
    this.#controls = this.#turning(canvas, changed);
  }

  /** `widthPx`, `heightPx`: size of the canvas on the page. */
  resize(widthPx: number, heightPx: number): void {
    this.#renderer.setSize(widthPx, heightPx, false);
    this.#camera.aspect = widthPx / heightPx;
    if (this.scene.focus !== null)
      this.#camera.setViewOffset(widthPx, heightPx, -ASIDE * widthPx, 0, widthPx, heightPx);
    this.#camera.updateProjectionMatrix();
  }

  /** Draws a frame; returns the overlay of the close-up, `undefined` if there is none. */
  draw(frame: number): CloseUp | undefined {
    const widthPx = this.#drawWhole(frame);
    const { focus } = this.scene;
    if (focus === null) return undefined;
    this.#lookAt(focus);
    this.#cutOpen(frame, focus);
    const sidePx = CLOSEUP_SHARE * widthPx;
    const bottomPx = this.#renderer.getSize(new Vector2()).y - CLOSEUP_GAP_PX - sidePx;
    this.#show(this.#closeUp, [CLOSEUP_GAP_PX, bottomPx, sidePx, sidePx], colour('--card'));
    return this.#over(frame, focus);
  }

  /** `data:` URL of the last frame, without the close-up, for print. */
  still(): string {
    this.#drawWhole(Math.max(0, this.scene.recording.frameCount - 1));
    return this.#renderer.domElement.toDataURL();
  }

  home(): void {
    this.#controls.reset();
  }

  close(): void {
    this.#controls.dispose();
    this.#renderer.dispose();
  }

  /** Returns the width of the picture, px. */
  #drawWhole(frame: number): number {
    for (const { geom, solid, masks, cap } of this.#parts) {
      const { xyz, turn } = this.scene.pose(geom, frame);
      const [qw, qx, qy, qz] = turn;
      solid.position.set(...xyz);
      solid.quaternion.set(qx, qy, qz, qw).normalize();
      solid.visible = true;
      solid.material.clippingPlanes = null;
      for (const mesh of [...masks, cap]) mesh.visible = false;
    }
    for (const mesh of this.#floor) mesh.visible = true;
    const { x: width, y: height } = this.#renderer.getSize(new Vector2());
    this.#show(this.#camera, [0, 0, width, height]);
    return width;
  }

  #partOf(geom: number): Part[] {
    const { type, sizeM, rgba, moves } = this.scene.recording.geoms[geom]!;
    const geometry = geometryOf(type, sizeM);
    if (geometry === undefined) return [];
    const solid = new Mesh(geometry, materialOf(rgba));
    solid.castShadow = true;
    const cap = new Mesh(this.#sheet, capOf(moves ? solid.material.color : colour('--section')));
    const masks = this.#masks.map((material) => new Mesh(geometry, material));
    solid.add(...masks);
    this.#stage.add(solid, cap);
    // Drawing order: a solid's masks, then its cap, which clears them.
    for (const [i, mesh] of [...masks, cap].entries()) mesh.renderOrder = 3 * geom + i + 1;
    return [{ geom, solid, masks, cap }];
  }

  /** Adds light, and the floor if there is one. */
  #furnish(): void {
    const { floorM, centre, radiusM } = this.scene;
    const { sun, floor } = lightUp(this.#stage);
    floor.visible = floorM !== null;
    if (floorM === null) return;
    floor.position.set(Math.round(10 * centre[0]) / 10, Math.round(10 * centre[1]) / 10, floorM);
    const ground = new Mesh(new PlaneGeometry(2, 2), new ShadowMaterial({ opacity: 0.18 }));
    ground.position.copy(floor.position);
    ground.receiveShadow = true;
    sun.position
      .set(0.45, -0.55, 0.9)
      .normalize()
      .multiplyScalar(2 * radiusM)
      .add(sun.target.position.set(...centre));
    sun.castShadow = true;
    sun.shadow.mapSize.set(1024, 1024);
    Object.assign(sun.shadow.camera, {
      left: -radiusM,
      right: radiusM,
      top: radiusM,
      bottom: -radiusM,
      far: 4 * radiusM,
    });
    this.#stage.add(ground, sun.target);
    this.#floor.push(ground, floor);
  }

  /** Dragging turns the view; the wheel and vertical swipes scroll the page. */
  #turning(canvas: HTMLCanvasElement, changed: () => void): OrbitControls {
    const { centre, radiusM } = this.scene;
    const camera = this.#camera;
    camera.up.set(0, 0, 1);
    camera.position.set(...around(centre, HOME.azimuth, HOME.elevation, (0.94 * radiusM) / Math.sin(HALF_VIEW)));
    const controls = new OrbitControls(camera, canvas);
    controls.target.set(...centre);
    controls.enableZoom = false;
    controls.enablePan = false;
    controls.minPolarAngle = Math.PI / 2 - HIGHEST;
    controls.maxPolarAngle = Math.PI / 2 - LOWEST;
    canvas.style.touchAction = 'pan-y';
    controls.update();
    controls.saveState();
    controls.addEventListener('change', changed);
    return controls;
  }

  #show(
    camera: PerspectiveCamera,
    [x, y, width, height]: readonly [number, number, number, number],
    back?: Color,
  ): void {
    this.#renderer.setViewport(x, y, width, height);
    this.#renderer.setScissor(x, y, width, height);
    this.#renderer.setScissorTest(true);
    this.#renderer.setClearColor(back ?? 0x000000, back === undefined ? 0 : 1);
    this.#renderer.render(this.#stage, camera);
  }

  /** Aims the close-up at the hole from the side, in the quarter turn nearest to the main view. */
  #lookAt(focus: Xyz): void {
    const target: Xyz = [focus[0], focus[1], focus[2] + 0.004];
    const eye = around(target, this.#square(), CUT_ELEVATION, CUT_M);
    this.#closeUp.up.set(0, 0, 1);
    this.#closeUp.position.set(...eye);
    this.#closeUp.lookAt(...target);
    this.#closeUp.updateMatrixWorld(true);
    const forward = new Vector3(...target).sub(this.#closeUp.position).normalize();
    this.#cut.setFromNormalAndCoplanarPoint(forward, new Vector3(...target));
    for (const { cap } of this.#parts) {
      cap.position.set(...target);
      cap.quaternion.copy(this.#closeUp.quaternion);
    }
  }

  #square(): number {
    const quarter = Math.PI / 2;
    // three.js measures azimuth from y, this class from x.
    const azimuth = this.#controls.getAzimuthalAngle() - quarter;
    const { focusYaw } = this.scene;
    return focusYaw + Math.round((azimuth - focusYaw) / quarter) * quarter;
  }

  /** Cuts fixed shapes, and the peg while its tip is at the hole, so that the gap on both sides shows. */
  #cutOpen(frame: number, focus: Xyz): void {
    const [x, y, z] = this.scene.tips[frame] ?? [Number.POSITIVE_INFINITY, 0, 0];
    const isNear = Math.hypot(x - focus[0], y - focus[1]) < 0.007 && z < focus[2] + 0.01;
    for (const { geom, solid, masks, cap } of this.#parts) {
      const isCut = !this.scene.recording.geoms[geom]!.moves || (isNear && geom === this.scene.peg);
      solid.visible = solid.position.distanceTo(this.#closeUp.position) < CUT_M + NEAR_M;
      solid.material.clippingPlanes = isCut ? [this.#cut] : null;
      for (const mesh of [...masks, cap]) mesh.visible = isCut && solid.visible;
    }
    for (const mesh of this.#floor) mesh.visible = false;
  }

  #over(frame: number, [x, y, z]: Xyz): CloseUp {
    const at = (point: Xyz): readonly [number, number] => {
      const { x: across, y: up } = new Vector3(...point).project(this.#closeUp);
      return [(1 + across) / 2, (1 - up) / 2];
    };
    const depthM = this.scene.recording.successDepthM;
    const square = this.#square();
    const end = (s: number) => at([x - s * Math.sin(square), y + s * Math.cos(square), z - (depthM ?? 0)]);
    return {
      trace: this.scene.tips.slice(0, frame + 1).map(at),
      line: depthM === undefined ? undefined : [end(-LINE_HALF_M), end(LINE_HALF_M)],
    };
  }
}

/** Counts a solid's faces behind the section plane, per pixel (stencil): where fronts and backs differ, the solid is cut open. */
function maskOf(side: Side, count: StencilOp, cut: Plane): MeshBasicMaterial {
  return new MeshBasicMaterial({
    side,
    clippingPlanes: [cut],
    colorWrite: false,
    depthWrite: false,
    depthTest: false,
    stencilWrite: true,
    stencilFail: count,
    stencilZFail: count,
    stencilZPass: count,
  });
}

/** Material of a solid's inside where it is cut open. */
function capOf(color: Color): MeshBasicMaterial {
  return new MeshBasicMaterial({
    color,
    depthFunc: LessDepth,
    stencilWrite: true,
    stencilFunc: NotEqualStencilFunc,
    stencilFail: ZeroStencilOp,
    stencilZFail: ZeroStencilOp,
    stencilZPass: ZeroStencilOp,
  });
}

/** Point at distance `awayM` from `target`; `azimuth` from x, `elevation` from the floor, rad. */
function around(target: Xyz, azimuth: number, elevation: number, awayM: number): [number, number, number] {
  const flat = awayM * Math.cos(elevation);
  return [
    target[0] + flat * Math.cos(azimuth),
    target[1] + flat * Math.sin(azimuth),
    target[2] + awayM * Math.sin(elevation),
  ];
}

/** Angle of view, degrees, from the tangent of its half. */
function degrees(tangent: number): number {
  return (360 / Math.PI) * Math.atan(tangent);
}
