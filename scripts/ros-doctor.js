/**
 * `npm run ros:doctor`: everything that the ROS side needs, one line each, with a remedy for anything missing.
 * Reads only. Ends with 1 if the ROS side cannot be used. `--json` prints the same for programs.
 */
import './node-version.js';
import { exitCodeOf, jsonOf, tableOf } from '../dist/cli/doctor/check.js';
import { rosFindings } from '../dist/ros/doctor.js';

const unknown = process.argv.slice(2).filter((argument) => argument !== '--json');
if (unknown.length > 0) {
  console.error(`ros:doctor knows --json only, not ${unknown.join(' ')}`);
  process.exit(1);
}
const findings = rosFindings();
process.stdout.write(process.argv.includes('--json') ? jsonOf(findings) : tableOf(findings, 'The ROS side'));
process.exitCode = exitCodeOf(findings);
