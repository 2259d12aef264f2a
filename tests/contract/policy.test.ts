import { OnnxPolicy } from '../../src/policy/index.ts';
import { A, O, SCHEMA } from '../support/policy-fixture.ts';
import { describePolicy } from './policy.contract.ts';

describePolicy('ONNX', () => new OnnxPolicy({ observationSize: O, actionSize: A, schemaHash: SCHEMA }));
