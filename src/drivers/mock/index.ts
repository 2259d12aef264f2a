export { MOCK_FRAME, MockBusReader, type MockFrameListener } from './mock-bus.ts';
export { MockDriver, type MockDriverOptions } from './mock-driver.ts';
export { type FaultPlan, MOCK_FAULTS, type MockFault } from './mock-faults.ts';
