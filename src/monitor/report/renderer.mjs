/**
 * A small software renderer for recorded shapes: z-buffer, smooth shading, floor shadow, sectioned close-up.
 * No WebGL, so that it draws the same everywhere. Coordinates: world frame, z up, m.
 */

const POSE = 7;
const INT16_MAX = 32767;
export const FIELD_OF_VIEW = 0.6;
/** Surfaces this close count as one, and the first stays: shapes that share a surface would flicker. */
const SAME_DEPTH = 1.0006;
const LIGHT = normalise([0.45, -0.55, 0.9]);

/** Recording data as embedded in the page → poses by frame. */
export function createScene(recording, meshes) {
  const fixed = int16(recording.fixed);
  const moving = int16(recording.moving);
  const movers = recording.geoms.filter((geom) => geom.moves).length;
  let fixedAt = 0;
  let movingAt = 0;
  const parts = recording.geoms.map((geom) => {
    const part = { ...geom, mesh: meshes[geom.type], offset: geom.moves ? movingAt : fixedAt };
    if (geom.moves) movingAt += POSE;
    else fixedAt += POSE;
    part.factors = factors(geom);
    part.colour = geom.rgba.slice(0, 3).map((v) => v * 255);
    return part;
  });
  const pose = (part, frame) => {
    const source = part.moves ? moving : fixed;
    const at = part.offset + (part.moves ? frame * movers * POSE : 0);
    const xyz = [0, 1, 2].map((k) => recording.centreM[k] + source[at + k] * recording.unitM);
    return { xyz, turn: rotation(source, at + 3) };
  };
  const solids = parts.filter((part) => part.mesh && !(part.rgba[3] < 0.05));
  const plane = parts.find((part) => part.type === 'plane');
  const floorZ = plane && recording.frameCount > 0 ? pose(plane, 0).xyz[2] : null;
  return { recording, solids, pose, floorZ, ...landmarks(recording, solids, pose) };
}

function landmarks(recording, solids, pose) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  const last = Math.max(0, recording.frameCount - 1);
  for (let i = 0; i <= 8 && recording.frameCount > 0; i++) {
    for (const part of solids) {
      const { xyz } = pose(part, Math.round((last * i) / 8));
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k], xyz[k] - 0.04);
        high[k] = Math.max(high[k], xyz[k] + 0.04);
      }
    }
  }
  const isEmpty = !(low[0] <= high[0]);
  const centre = isEmpty ? [0, 0, 0] : low.map((v, k) => (v + high[k]) / 2);
  const radius = isEmpty ? 1 : Math.hypot(...low.map((v, k) => high[k] - v)) / 2;
  const peg = solids.find((part) => part.name === 'peg') ?? null;
  const tips = [];
  for (let f = 0; peg && f < recording.frameCount; f++) tips.push(tipOf(peg, pose(peg, f)));
  const focus = recording.focusM ?? tips.at(-1) ?? null;
  return { centre, radius, peg, tips, focus, focusYaw: focus ? yawNear(solids, pose, focus) : 0 };
}

function tipOf(peg, { xyz, turn }) {
  const half = peg.type === 'box' ? peg.sizeM[2] : peg.sizeM[1] + (peg.type === 'capsule' ? peg.sizeM[0] : 0);
  const sign = turn[8] > 0 ? -1 : 1;
  return xyz.map((v, k) => v + sign * half * turn[3 * k + 2]);
}

/** The direction of the nearest fixed box, so that the section is cut square to the hole. */
function yawNear(solids, pose, focus) {
  let best = Infinity;
  let yaw = 0;
  for (const part of solids) {
    if (part.moves || part.type !== 'box') continue;
    const { xyz, turn } = pose(part, 0);
    const distance = Math.hypot(xyz[0] - focus[0], xyz[1] - focus[1], xyz[2] - focus[2]);
    if (distance < best && Math.abs(turn[8]) > 0.99) {
      best = distance;
      yaw = Math.atan2(turn[3], turn[0]);
    }
  }
  return yaw;
}

/** Where the eye is: `azimuth` and `elevation` in rad around `target`, `distance` in m. */
export function camera(target, azimuth, elevation, distance) {
  const back = [Math.cos(elevation) * Math.cos(azimuth), Math.cos(elevation) * Math.sin(azimuth), Math.sin(elevation)];
  const forward = back.map((v) => -v);
  const right = [-Math.sin(azimuth), Math.cos(azimuth), 0];
  const up = cross(right, forward);
  return { eye: target.map((v, k) => v + distance * back[k]), forward, right, up };
}

/** A picture to draw into: 32-bit colours and inverse depths. */
export function createPicture(width, height, shift = 0) {
  const pixels = new Uint8ClampedArray(width * height * 4);
  return {
    width,
    height,
    /** Right of the middle by `shift` widths, to leave room for the close-up. */
    centreX: width * (0.5 + shift),
    pixels,
    words: new Uint32Array(pixels.buffer),
    inverseDepth: new Float32Array(width * height),
    stamp: new Uint16Array(width * height),
    focal: (0.5 * Math.min(width * 1.1, height * 1.25)) / Math.tan(FIELD_OF_VIEW / 2),
  };
}

/** Draws one frame. `view`: { camera, theme, cutM (distance of the section from the eye, 0 = none), cuts (which parts), floor }. */
export function draw(picture, scene, frame, view) {
  picture.stamp.fill(0);
  drawBackground(picture, scene, view);
  if (scene.recording.frameCount === 0) return;
  const placed = [];
  for (const part of scene.solids) {
    const pose = scene.pose(part, frame);
    // A section shows what is near it; the rest of the arm behind would only confuse.
    const isNear = view.cutM === 0 || Math.hypot(...pose.xyz.map((v, k) => v - view.camera.eye[k])) < view.cutM + 0.15;
    if (isNear) placed.push(place(part, pose, view.camera, picture));
  }
  if (view.floor && scene.floorZ !== null) for (const solid of placed) drawShadow(picture, solid, scene.floorZ, view);
  for (const [i, solid] of placed.entries()) {
    const cut = view.cutM > 0 && view.cuts(solid.part) ? view.cutM : 0;
    drawSolid(picture, solid, cut, i + 1, view.theme);
  }
}

/** The floor, kept from the last frame while the eye stands still. */
function drawBackground(picture, scene, view) {
  const key = JSON.stringify([view.camera, view.theme.back]);
  if (picture.background?.key !== key) {
    picture.words.fill(0);
    picture.inverseDepth.fill(0);
    if (view.floor && scene.floorZ !== null) drawFloor(picture, scene, view);
    picture.background = { key, words: picture.words.slice(), inverseDepth: picture.inverseDepth.slice() };
    return;
  }
  picture.words.set(picture.background.words);
  picture.inverseDepth.set(picture.background.inverseDepth);
}

function place(part, { xyz, turn }, eye, picture) {
  const { vertices } = part.mesh;
  const count = vertices.length / 7;
  const [a, b, c, h] = part.factors;
  const world = new Float64Array(count * 3);
  const screen = new Float64Array(count * 4);
  for (let i = 0; i < count; i++) {
    const at = i * 7;
    const local = [vertices[at] * a, vertices[at + 1] * b, vertices[at + 2] * c + vertices[at + 3] * h];
    for (let k = 0; k < 3; k++) {
      world[i * 3 + k] = xyz[k] + turn[3 * k] * local[0] + turn[3 * k + 1] * local[1] + turn[3 * k + 2] * local[2];
    }
    project(screen, i * 4, world, i * 3, eye, picture);
    screen[i * 4 + 3] = shade(turn, vertices, at + 4, eye);
  }
  return { part, world, screen };
}

function shade(turn, vertices, at, eye) {
  let sun = 0;
  let head = 0;
  for (let k = 0; k < 3; k++) {
    const n = turn[3 * k] * vertices[at] + turn[3 * k + 1] * vertices[at + 1] + turn[3 * k + 2] * vertices[at + 2];
    sun += n * LIGHT[k];
    head -= n * eye.forward[k];
  }
  return 0.48 + 0.46 * Math.max(0, sun) + 0.16 * Math.max(0, head);
}

/** Screen x, y and inverse distance; an inverse distance of 0 means behind the eye. */
export function project(out, at, points, from, eye, picture) {
  const x = points[from] - eye.eye[0];
  const y = points[from + 1] - eye.eye[1];
  const z = points[from + 2] - eye.eye[2];
  const depth = x * eye.forward[0] + y * eye.forward[1] + z * eye.forward[2];
  const inverse = depth > 0.005 ? 1 / depth : 0;
  const scale = picture.focal * inverse;
  out[at] = picture.centreX + scale * (x * eye.right[0] + y * eye.right[1] + z * eye.right[2]);
  out[at + 1] = picture.height / 2 - scale * (x * eye.up[0] + y * eye.up[1] + z * eye.up[2]);
  out[at + 2] = inverse;
}

function drawSolid(picture, { part, screen }, cut, id, theme) {
  const cap = part.moves ? part.colour : theme.section;
  for (const back of cut > 0 ? [false, true] : [false]) {
    for (const face of part.mesh.faces) {
      for (let i = 1; i + 1 < face.length; i++) {
        const corners = [face[0], face[i], face[i + 1]];
        if (back) triangle(picture, screen, corners, cap, { cut, id, cap: true });
        else triangle(picture, screen, corners, part.colour, { cut, id, cap: false });
      }
    }
  }
}

/**
 * One triangle by its edge functions. With a section, front faces before the plane are left out and remembered;
 * where a back face lies behind the plane of a remembered pixel, the plane runs through the solid: draw its cap.
 * `sink` < 1 pushes what lies on the floor below what stands on it.
 */
function triangle(picture, s, [i, j, k], colour, { cut, id, cap, flat = false, sink = 1 }) {
  const [a, b, c] = [i * 4, j * 4, k * 4];
  if (s[a + 2] === 0 || s[b + 2] === 0 || s[c + 2] === 0) return;
  const area = (s[b] - s[a]) * (s[c + 1] - s[a + 1]) - (s[c] - s[a]) * (s[b + 1] - s[a + 1]);
  if (cap ? area <= 0 : area >= 0 && !flat) return;
  if (area === 0) return;
  const { width, height, words, inverseDepth, stamp } = picture;
  const left = Math.max(0, Math.ceil(Math.min(s[a], s[b], s[c]) - 0.5));
  const right = Math.min(width - 1, Math.floor(Math.max(s[a], s[b], s[c]) - 0.5));
  const top = Math.max(0, Math.ceil(Math.min(s[a + 1], s[b + 1], s[c + 1]) - 0.5));
  const bottom = Math.min(height - 1, Math.floor(Math.max(s[a + 1], s[b + 1], s[c + 1]) - 0.5));
  const cutInverse = cut > 0 ? 1 / cut : 0;
  const fixedWord = pack(colour, 1);
  const isPlain = flat || cap;
  // Barycentric coordinates change by these from pixel to pixel.
  const du = (s[b + 1] - s[c + 1]) / area;
  const dv = (s[c + 1] - s[a + 1]) / area;
  for (let y = top; y <= bottom; y++) {
    const py = y + 0.5;
    const px = left + 0.5;
    const u0 = ((s[b] - px) * (s[c + 1] - py) - (s[c] - px) * (s[b + 1] - py)) / area;
    const v0 = ((s[c] - px) * (s[a + 1] - py) - (s[a] - px) * (s[c + 1] - py)) / area;
    const [from, to] = span(u0, du, v0, dv, right - left);
    const d0 = u0 * s[a + 2] + v0 * s[b + 2] + (1 - u0 - v0) * s[c + 2];
    const dd = du * s[a + 2] + dv * s[b + 2] - (du + dv) * s[c + 2];
    const l0 = u0 * s[a + 3] + v0 * s[b + 3] + (1 - u0 - v0) * s[c + 3];
    const dl = du * s[a + 3] + dv * s[b + 3] - (du + dv) * s[c + 3];
    for (let i = from; i <= to; i++) {
      const at = y * width + left + i;
      let inverse = (d0 + i * dd) * sink;
      if (cap) {
        if (stamp[at] !== id || inverse >= cutInverse) continue;
        inverse = cutInverse;
      } else if (cutInverse > 0 && inverse > cutInverse) {
        stamp[at] = id;
        continue;
      }
      if (inverse <= inverseDepth[at] * SAME_DEPTH) continue;
      inverseDepth[at] = inverse;
      words[at] = isPlain ? fixedWord : pack(colour, l0 + i * dl);
    }
  }
}

/** The pixels of a row, 0 to `last`, in which u, v and 1 − u − v are all ≥ 0. */
function span(u0, du, v0, dv, last) {
  let from = 0;
  let to = last;
  const keep = (value, slope) => {
    if (slope > 0) from = Math.max(from, Math.ceil(-value / slope));
    else if (slope < 0) to = Math.min(to, Math.floor(value / -slope));
    else if (value < 0) to = -1;
  };
  keep(u0, du);
  keep(v0, dv);
  keep(1 - u0 - v0, -du - dv);
  return [from, to];
}

function drawFloor(picture, scene, { camera: eye, theme }) {
  const cell = 0.1;
  const reach = Math.ceil(Math.min(1.6, scene.radius * 1.7) / cell);
  const [cx, cy] = [Math.round(scene.centre[0] / cell), Math.round(scene.centre[1] / cell)];
  const world = new Float64Array(12);
  const screen = new Float64Array(16);
  for (let i = cx - reach; i < cx + reach; i++) {
    for (let j = cy - reach; j < cy + reach; j++) {
      const distance = Math.hypot(i + 0.5 - cx, j + 0.5 - cy) / reach;
      if (distance >= 1) continue;
      world.set(
        [i, j, 0, i + 1, j, 0, i + 1, j + 1, 0, i, j + 1, 0].map((v, k) => (k % 3 === 2 ? scene.floorZ : v * cell)),
      );
      for (let corner = 0; corner < 4; corner++) project(screen, corner * 4, world, corner * 3, eye, picture);
      const fade = Math.min(1, 2 * (1 - distance));
      const tile = theme.floor[(i + j) & 1];
      const colour = tile.map((v, k) => v * fade + theme.back[k] * (1 - fade));
      const flat = { cut: 0, id: 0, cap: false, flat: true, sink: 0.98 };
      triangle(picture, screen, [0, 1, 2], colour, flat);
      triangle(picture, screen, [0, 2, 3], colour, flat);
    }
  }
}

const SHADOW = { cut: 0, id: 0, cap: false, flat: true, sink: 0.99 };

function drawShadow(picture, { part, world }, floorZ, { camera: eye, theme }) {
  const flatWorld = new Float64Array(world.length);
  const screen = new Float64Array((world.length / 3) * 4);
  for (let i = 0; i < world.length / 3; i++) {
    const height = Math.max(0, world[i * 3 + 2] - floorZ);
    flatWorld[i * 3] = world[i * 3] - (LIGHT[0] / LIGHT[2]) * height;
    flatWorld[i * 3 + 1] = world[i * 3 + 1] - (LIGHT[1] / LIGHT[2]) * height;
    flatWorld[i * 3 + 2] = floorZ;
    project(screen, i * 4, flatWorld, i * 3, eye, picture);
  }
  for (const face of part.mesh.faces) {
    for (let i = 1; i + 1 < face.length; i++) {
      triangle(picture, screen, [face[0], face[i], face[i + 1]], theme.shadow, SHADOW);
    }
  }
}

function pack(colour, light) {
  const r = Math.min(255, colour[0] * light + 0.5) | 0;
  const g = Math.min(255, colour[1] * light + 0.5) | 0;
  const b = Math.min(255, colour[2] * light + 0.5) | 0;
  return 0xff000000 | (b << 16) | (g << 8) | r;
}

function factors({ type, sizeM: [s0 = 0, s1 = 0, s2 = 0] }) {
  if (type === 'sphere') return [s0, s0, s0, 0];
  if (type === 'capsule') return [s0, s0, s0, s1];
  if (type === 'cylinder') return [s0, s0, 0, s1];
  return [s0, s1, s2, 0];
}

function int16(base64) {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const view = new DataView(bytes.buffer);
  return Int16Array.from({ length: bytes.length / 2 }, (_, i) => view.getInt16(i * 2, true));
}

/** Row-major 3×3 of the quaternion (w, x, y, z) stored at `at`. */
function rotation(source, at) {
  const raw = [0, 1, 2, 3].map((k) => source[at + k] / INT16_MAX);
  const size = Math.hypot(...raw) || 1;
  const [w, x, y, z] = raw.map((v) => v / size);
  return [
    1 - 2 * (y * y + z * z),
    2 * (x * y - w * z),
    2 * (x * z + w * y),
    2 * (x * y + w * z),
    1 - 2 * (x * x + z * z),
    2 * (y * z - w * x),
    2 * (x * z - w * y),
    2 * (y * z + w * x),
    1 - 2 * (x * x + y * y),
  ];
}

function cross(a, b) {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

function normalise(v) {
  const size = Math.hypot(...v);
  return v.map((x) => x / size);
}
