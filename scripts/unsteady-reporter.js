/**
 * A vitest reporter that names each test that passed only at its second try, so that a repetition never hides one, and writes errors
 * that belong to no test to the file UNHANDLED_ERRORS, a line each: vitest's JSON does not have them.
 */
import { writeFileSync } from 'node:fs';

// biome-ignore lint/style/noDefaultExport: vitest takes a reporter's default export.
export default class UnsteadyReporter {
  #names = [];

  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky)
      this.#names.push(`${test.module.relativeModuleId ?? test.module.moduleId}: ${test.fullName}`);
  }

  onTestRunEnd(_files, errors) {
    const lines = errors.map(({ message }) => `${String(message).split('\n')[0]}\n`);
    if (lines.length > 0 && process.env.UNHANDLED_ERRORS) writeFileSync(process.env.UNHANDLED_ERRORS, lines.join(''));
    if (this.#names.length === 0) return;
    console.log(`\nPassed at the second try (the machine was busy, or the test is unsteady):`);
    for (const name of this.#names) console.log(`  ${name}`);
  }
}
