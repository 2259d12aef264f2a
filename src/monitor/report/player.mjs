/**
 * The report's animations: theme, controls and the two views of each recording. Runs in the browser from inside
 * the page: no network, no library.
 */
import { camera, createPicture, createScene, draw, FIELD_OF_VIEW, project } from './renderer.mjs';

const THEMES = {
  light: {
    back: [255, 255, 255],
    floor: [
      [238, 241, 244],
      [229, 233, 237],
    ],
    shadow: [203, 209, 215],
    section: [214, 184, 120],
    trace: '#c2410c',
    line: '#15803d',
  },
  dark: {
    back: [24, 28, 34],
    floor: [
      [38, 44, 52],
      [46, 52, 61],
    ],
    shadow: [20, 23, 28],
    section: [150, 122, 70],
    trace: '#fdba74',
    line: '#86efac',
  },
};

const HOME = { azimuth: -0.95, elevation: 0.42 };

/** One recording's player in `root`: a figure with two canvases, a button, a slider, a speed and a clock. */
class Player {
  #view = { ...HOME };
  #frame = 0;
  #isPlaying = false;
  #isVisible = true;
  #isAsked = false;
  #isStale = false;
  #paintedMs = 0;

  constructor(root, meshes) {
    this.recording = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
    this.scene = createScene(this.recording, meshes);
    this.last = Math.max(0, this.recording.frameCount - 1);
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.main = root.querySelector('canvas.scene');
    this.inset = root.querySelector('canvas.closeup');
    const controls = ['button', 'input', 'select', 'output'].map((tag) => root.querySelector(tag));
    [this.button, this.slider, this.speed, this.clock] = controls;
    this.slider.max = String(this.last);
    this.inset.hidden = this.scene.focus === null;
    this.#listen(root);
    root.classList.add('drawn');
    this.#isPlaying = this.last > 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#paint();
    this.#ask();
  }

  #listen(root) {
    this.button.addEventListener('click', () => {
      this.#isPlaying = !this.#isPlaying;
      this.#change();
    });
    this.slider.addEventListener('input', () => {
      this.#frame = Number(this.slider.value);
      this.#isPlaying = false;
      this.#change();
    });
    this.dark.addEventListener('change', () => this.#change());
    this.main.addEventListener('pointerdown', (event) => this.main.setPointerCapture(event.pointerId));
    this.main.addEventListener('pointermove', (event) => {
      if (this.main.hasPointerCapture(event.pointerId)) this.#orbit(event.movementX, event.movementY);
    });
    this.main.addEventListener('dblclick', () => {
      this.#view = { ...HOME };
      this.#change();
    });
    new IntersectionObserver(([entry]) => {
      this.#isVisible = entry.isIntersecting;
      this.#change();
    }).observe(root);
  }

  #orbit(xPx, yPx) {
    const elevation = Math.min(1.5, Math.max(0.03, this.#view.elevation + yPx * 0.006));
    this.#view = { azimuth: this.#view.azimuth - xPx * 0.008, elevation };
    this.#change();
  }

  #change() {
    this.#isStale = true;
    this.#ask();
  }

  /** Nothing runs while nothing changes or nobody can see it. */
  #ask() {
    if (this.#isAsked || !this.#isVisible) return;
    this.#isAsked = true;
    requestAnimationFrame((nowMs) => this.#refresh(nowMs));
  }

  #refresh(nowMs) {
    const passedS = Math.min(0.1, (nowMs - this.#paintedMs) / 1000);
    this.#paintedMs = nowMs;
    this.#isAsked = false;
    const before = this.#shownFrame();
    if (this.#isPlaying) {
      this.#frame += (passedS * Number(this.speed.value)) / this.recording.frameS;
      // A rest of one second on the last frame, then again from the start.
      if (this.#frame > this.last + 1 / this.recording.frameS) this.#frame = 0;
      this.#ask();
    }
    if (this.#isStale || this.#shownFrame() !== before) this.#paint();
    this.#isStale = false;
  }

  #shownFrame() {
    return Math.min(this.last, Math.round(this.#frame));
  }

  #paint() {
    const { scene, recording } = this;
    const theme = this.dark.matches ? THEMES.dark : THEMES.light;
    const frame = this.#shownFrame();
    const { azimuth, elevation } = this.#view;
    const eye = camera(scene.centre, azimuth, elevation, (scene.radius / Math.sin(FIELD_OF_VIEW / 2)) * 0.94);
    const shift = scene.focus === null ? 0 : 0.14;
    paintCanvas(this.main, scene, frame, { camera: eye, theme, cutM: 0, floor: true, shift });
    if (scene.focus !== null) paintInset(this.inset, scene, frame, azimuth, theme);
    this.slider.value = String(frame);
    this.clock.textContent = `${(frame * recording.frameS).toFixed(1)} of ${(this.last * recording.frameS).toFixed(1)} s`;
    this.button.textContent = this.#isPlaying ? 'Pause' : 'Play';
  }
}

function paintCanvas(canvas, scene, frame, view) {
  canvas.picture ??= createPicture(canvas.width, canvas.height, view.shift);
  draw(canvas.picture, scene, frame, view);
  const context = canvas.getContext('2d');
  context.putImageData(new ImageData(canvas.picture.pixels, canvas.width, canvas.height), 0, 0);
  return context;
}

/** The close-up: a section through the hole, square to its walls, with the way of the peg's tip. */
function paintInset(canvas, scene, frame, azimuth, theme) {
  const quarter = Math.PI / 2;
  const square = scene.focusYaw + Math.round((azimuth - scene.focusYaw) / quarter) * quarter;
  const target = [scene.focus[0], scene.focus[1], scene.focus[2] + 0.004];
  const distance = 0.15;
  const eye = camera(target, square, 0.12, distance);
  // The peg is cut too while its tip is at the hole: then the gap on both sides shows.
  const tip = scene.tips[frame] ?? [Infinity, 0, 0];
  const isNear = Math.hypot(tip[0] - scene.focus[0], tip[1] - scene.focus[1]) < 0.007 && tip[2] < scene.focus[2] + 0.01;
  const cuts = (part) => !part.moves || (isNear && part === scene.peg);
  const view = { camera: eye, theme, cutM: distance, cuts, floor: false, shift: 0 };
  const context = paintCanvas(canvas, scene, frame, view);
  const points = scene.tips.slice(0, frame + 1);
  const at = new Float64Array(4);
  context.lineWidth = canvas.width / 160;
  context.lineJoin = 'round';
  context.strokeStyle = theme.trace;
  context.beginPath();
  for (const tip of points) {
    project(at, 0, tip, 0, eye, canvas.picture);
    context.lineTo(at[0], at[1]);
  }
  context.stroke();
  if (scene.recording.successDepthM !== undefined) paintLine(context, canvas, scene, square, eye, theme);
}

/** Half the length of the line across the hole, m. */
const LINE_HALF_M = 0.024;

/** The depth from which the peg counts as inserted: success comes before it is all the way in. */
function paintLine(context, canvas, scene, square, eye, theme) {
  const [x, y, z] = scene.focus;
  const ends = [-LINE_HALF_M, LINE_HALF_M].map((s) => {
    const at = new Float64Array(4);
    project(
      at,
      0,
      [x - s * Math.sin(square), y + s * Math.cos(square), z - scene.recording.successDepthM],
      0,
      eye,
      canvas.picture,
    );
    return at;
  });
  const [left, right] = ends[0][0] < ends[1][0] ? ends : [ends[1], ends[0]];
  context.strokeStyle = theme.line;
  context.fillStyle = theme.line;
  context.setLineDash([canvas.width / 40, canvas.width / 60]);
  context.beginPath();
  context.moveTo(left[0], left[1]);
  context.lineTo(right[0], right[1]);
  context.stroke();
  context.setLineDash([]);
  context.font = `600 ${canvas.width / 22}px system-ui, sans-serif`;
  context.textAlign = 'right';
  context.fillText('success', canvas.width - 12, right[1] - canvas.width / 60);
}

const meshes = JSON.parse(document.getElementById('meshes').textContent);
for (const root of document.querySelectorAll('.player')) new Player(root, meshes);
