/** A vitest reporter that names each test that passed only at its second try, so that a repetition never hides one. */
// biome-ignore lint/style/noDefaultExport: vitest takes a reporter's default export.
export default class UnsteadyReporter {
  #names = [];

  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky)
      this.#names.push(`${test.module.relativeModuleId ?? test.module.moduleId}: ${test.fullName}`);
  }

  onTestRunEnd() {
    if (this.#names.length === 0) return;
    console.log(`\nPassed at the second try (the machine was busy, or the test is unsteady):`);
    for (const name of this.#names) console.log(`  ${name}`);
  }
}
