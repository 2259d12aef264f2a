import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { jsonSchemaOf } from '../schema/index.ts';
import { CONFIG_ROOT } from './names.ts';
import { configReference, editorSchemas } from './reference.ts';
import { FILE_SCHEMAS } from './schema/variants.ts';

const docs = join(CONFIG_ROOT, '..', 'docs');

describe('generated pages', () => {
  it('docs/config.md is current (else: npm run docs)', () => {
    expect(readFileSync(join(docs, 'config.md'), 'utf8')).toBe(configReference());
  });

  it('docs/config.md lists keys that several files or groups share once, and refers to them', () => {
    const page = configReference();
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));
    const repeated = rows.filter((row, i) => rows.indexOf(row) !== i);
    // Short groups and discriminators are described in place.
    expect(repeated.length / rows.length).toBeLessThan(0.1);
    // That links resolve is checked in `tests/arch/documents.test.ts`.
    expect(page.match(/\]\(#[^)]*\)/g)!.length).toBeGreaterThan(10);
  });

  it.each(editorSchemas())('docs/schema/$file is current (else: npm run docs)', ({ file, text }) => {
    expect(readFileSync(join(docs, 'schema', file), 'utf8')).toBe(text);
  });

  it('every key has a description, and every number a unit', () => {
    const visit = (path: string, schema: ReturnType<typeof jsonSchemaOf>): void => {
      for (const [key, field] of Object.entries(schema.properties ?? {})) {
        expect(field.description, `${path}${key}`).toMatch(/^[A-Z`].*\.$/);
        if (field.type === 'number' || field.type === 'integer') expect(field.unit, `${path}${key}`).toBeTruthy();
        visit(`${path}${key}.`, field);
        if (field.items) visit(`${path}${key}[].`, field.items);
      }
    };
    for (const schema of FILE_SCHEMAS.flatMap(({ schemas }) => schemas)) visit('', jsonSchemaOf(schema));
  });

  it.each([
    ['robots', 'robot'],
    ['tasks', 'task'],
    ['learner', 'learner'],
  ])('files in config/%s tell editors their schema', (folder, schema) => {
    // Models of robots and scenes of tasks are in folders beside their files.
    const files = readdirSync(join(CONFIG_ROOT, folder)).filter((file) => file !== 'models' && file !== 'scenes');
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) {
      const [first] = readFileSync(join(CONFIG_ROOT, folder, file), 'utf8').split('\n');
      expect(first).toBe(`# yaml-language-server: $schema=../../docs/schema/${schema}.schema.json`);
    }
  });
});
