/**
 * `npm run ros:install`, in a shell where ROS 2 (and the workspace with Rein in it) is sourced: installs or rebuilds
 * rclnodejs if it is missing or built for another ROS, generates its messages, and sends one message through it.
 * Does only what is needed; `--force` does everything.
 */
import './node-version.js';
import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rosEnvironment } from '../dist/ros/index.js';
import { interfacePackages, STAMP_FILE, stampText, unseenPackages } from '../dist/ros/rclnodejs/installation.js';
import { findPackage, machineProbe } from '../dist/ros/rclnodejs/probe.js';

const root = fileURLToPath(new URL('..', import.meta.url));
/** A build on a small computer takes minutes; one that hangs must end. */
const buildLimitMs = 30 * 60_000;
const buildRemedy = 'the lines above say why; it needs g++, make, python3 and the headers of Node.js';
const isForced = process.argv.includes('--force');
const unknown = process.argv.slice(2).filter((argument) => argument !== '--force');
if (unknown.length > 0) fail(`ros:install knows --force only, not ${unknown.join(' ')}`);

install();

function install() {
  if (process.env.RCLNODEJS_FORCE_BUILD === '1') delete process.env.RCLNODEJS_FORCE_BUILD;
  mustBeGood(['ROS 2 sourced', 'ROS 2 library', 'process']);
  if (spawnSync('ros2', ['--help'], { stdio: 'ignore' }).error !== undefined) {
    fail('the program ros2 is not on the PATH, rclnodejs looks for ROS there', 'source the setup.bash of ROS 2');
  }
  if (findPackage() === undefined) {
    step('installing rclnodejs; without a ready-made addon it compiles for about a minute');
    npm(['install', '--no-save', '--no-audit', '--no-fund', '--foreground-scripts']);
    if (findPackage() === undefined) fail('npm did not install rclnodejs: it could not be built', buildRemedy);
  } else if (isForced || !isGood('native addon')) {
    step('building rclnodejs for this ROS; without a ready-made addon it takes about a minute');
    npm(['rebuild', 'rclnodejs', '--foreground-scripts']);
  }
  mustBeGood(['rclnodejs', 'native addon']);
  const unseen = unseenPackages(machineProbe());
  if (isForced || !isGood('messages') || unseen.length > 0) generate(unseen);
  mustBeGood(['messages']);
  selfTest();
  const hasOwn = interfacePackages(machineProbe()).has('rein');
  console.log(
    hasOwn ? 'Ready.' : 'Ready for topics; for the services of the package rein, build it and run this again.',
  );
}

/** Generates the messages of all packages; new ones are printed. */
function generate(unseen) {
  step(unseen.length === 0 ? 'generating messages' : `generating messages, also of ${unseen.join(', ')}`);
  const folder = findPackage();
  const probe = machineProbe();
  // The old ones must not seem current while the new ones are written.
  rmSync(join(folder, STAMP_FILE), { force: true });
  const script = join(folder, 'scripts', 'generate_messages.cjs');
  run(process.execPath, [script], 'the messages could not be generated', 'the lines above say why');
  writeFileSync(join(folder, STAMP_FILE), stampText(probe));
}

function selfTest() {
  step('sending a message');
  const program = join(root, 'dist', 'ros', 'rclnodejs', 'self-test-process.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [program], { encoding: 'utf8', timeout: 30_000 });
  if (status !== 0)
    fail(`the self-test failed: ${stdout.trim() || stderr.trim() || 'it did not end'}`, 'npm run ros:doctor');
  console.log(stdout.trim());
}

/** Builds, and ends the program on failure. Questions are answered with yes, because they are not shown. */
function npm(args) {
  run('npm', args, 'rclnodejs could not be built', buildRemedy);
}

function run(command, args, sentence, remedy) {
  const result = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // .npmrc lets no package's script run by itself. That of onnxruntime-node would fetch files that are not needed.
    env: {
      ...process.env,
      npm_config_yes: 'true',
      npm_config_ignore_scripts: 'false',
      ONNXRUNTIME_NODE_INSTALL: 'skip',
    },
    timeout: buildLimitMs,
  });
  if (result.status !== 0) fail(sentence, remedy);
}

/** Returns false for a check that was not made. */
function isGood(name) {
  return rosEnvironment().checks.some((check) => check.name === name && check.isGood);
}

function mustBeGood(names) {
  const bad = rosEnvironment().checks.find((check) => names.includes(check.name) && !check.isGood);
  if (bad !== undefined) fail(bad.detail, bad.remedy);
}

function step(sentence) {
  console.log(`── ${sentence}`);
}

function fail(sentence, remedy) {
  console.error(remedy === undefined ? sentence : `${sentence}\n→ ${remedy}`);
  process.exit(1);
}
