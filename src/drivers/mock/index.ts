export { MockDriver, type MockDriverOptions } from './mock-driver.ts';
export { type FaultPlan, MOCK_FAULTS, type MockFault } from './mock-faults.ts';
