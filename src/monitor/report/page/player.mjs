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
  },
};

/** Puts a player into `root`: a figure with canvases, a button, a slider and a speed. */
function startPlayer(root, meshes) {
  const recording = JSON.parse(root.querySelector('script[type="application/json"]').textContent);
  const scene = createScene(recording, meshes);
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const main = root.querySelector('canvas.scene');
  const inset = root.querySelector('canvas.closeup');
  const [button, slider, speed, clock] = ['button', 'input', 'select', 'output'].map((tag) => root.querySelector(tag));
  const home = { azimuth: -0.95, elevation: 0.42 };
  const state = { ...home, frame: 0, playing: false, visible: true, before: 0, dirty: true, asked: false };
  const last = Math.max(0, recording.frameCount - 1);
  slider.max = String(last);
  inset.hidden = scene.focus === null;
  root.classList.add('live');

  const paint = () => {
    const theme = dark.matches ? THEMES.dark : THEMES.light;
    const frame = Math.min(last, Math.round(state.frame));
    const distance = (scene.radius / Math.sin(FIELD_OF_VIEW / 2)) * 0.94;
    const eye = camera(scene.centre, state.azimuth, state.elevation, distance);
    paintCanvas(main, scene, frame, {
      camera: eye,
      theme,
      cutM: 0,
      floor: true,
      shift: scene.focus === null ? 0 : 0.14,
    });
    if (scene.focus !== null) paintInset(inset, scene, frame, state.azimuth, theme);
    slider.value = String(frame);
    clock.textContent = `${(frame * recording.frameS).toFixed(1)} of ${(last * recording.frameS).toFixed(1)} s`;
    button.textContent = state.playing ? 'Pause' : 'Play';
  };
  const loop = (now) => {
    const passedS = Math.min(0.1, (now - state.before) / 1000);
    state.before = now;
    state.asked = false;
    const shown = Math.round(state.frame);
    if (state.playing) {
      // A rest of one second on the last frame, then again from the start.
      state.frame += (passedS * Number(speed.value)) / recording.frameS;
      if (state.frame > last + 1 / recording.frameS) state.frame = 0;
      if (Math.min(last, Math.round(state.frame)) !== shown) state.dirty = true;
    }
    if (state.dirty) paint();
    state.dirty = false;
    if (state.playing) ask();
  };
  // Nothing runs while nothing changes or nobody can see it.
  const ask = () => {
    if (state.asked || !state.visible) return;
    state.asked = true;
    requestAnimationFrame(loop);
  };
  const change = (values) => {
    Object.assign(state, values, { dirty: true });
    ask();
  };
  button.addEventListener('click', () => change({ playing: !state.playing }));
  slider.addEventListener('input', () => change({ frame: Number(slider.value), playing: false }));
  dark.addEventListener('change', () => change({}));
  main.addEventListener('pointerdown', (event) => main.setPointerCapture(event.pointerId));
  main.addEventListener('pointermove', (event) => {
    if (!main.hasPointerCapture(event.pointerId)) return;
    const elevation = Math.min(1.5, Math.max(0.03, state.elevation + event.movementY * 0.006));
    change({ azimuth: state.azimuth - event.movementX * 0.008, elevation });
  });
  main.addEventListener('dblclick', () => change(home));
  new IntersectionObserver(([entry]) => change({ visible: entry.isIntersecting })).observe(root);
  state.playing = last > 0 && !matchMedia('(prefers-reduced-motion: reduce)').matches;
  paint();
  ask();
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
}

const meshes = JSON.parse(document.getElementById('meshes').textContent);
for (const root of document.querySelectorAll('.player')) startPlayer(root, meshes);
