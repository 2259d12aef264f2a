/** The built page as served: compressed, with ETags, and allowed to run only the scripts that it was built with. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};
const START = 'index.html';

interface BuiltFile {
  readonly type: string;
  readonly plain: Buffer;
  readonly gzip: Buffer;
  /** ETag, a hash of the content. */
  readonly tag: string;
}

/** Adds a route for each file of the folder `pages`, except unknown types. Returns the scripts allowed in `index.html` (CSP). */
export function addPages(app: FastifyInstance, pages: string): string {
  const names = readdirSync(pages).filter((name) => Object.hasOwn(TYPES, extname(name)));
  let scripts = '';
  for (const name of names) {
    const file = builtFile(join(pages, name));
    const give = (request: FastifyRequest, reply: FastifyReply): FastifyReply => answer(file, request, reply);
    app.get(`/${name}`, give);
    if (name !== START) continue;
    app.get('/', give);
    scripts = hashesOf(file.plain.toString());
  }
  return scripts;
}

function builtFile(path: string): BuiltFile {
  const plain = readFileSync(path);
  return { type: TYPES[extname(path)]!, plain, gzip: gzipSync(plain), tag: `"${sha256(plain)}"` };
}

function answer({ type, plain, gzip, tag }: BuiltFile, { headers }: FastifyRequest, reply: FastifyReply): FastifyReply {
  // Revalidated each time, and sent again if changed.
  reply.headers({ 'cache-control': 'no-cache', etag: tag, vary: 'accept-encoding' });
  if (headers['if-none-match']?.includes(tag) === true) return reply.code(304).send();
  reply.type(type);
  const isPacked = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
  return isPacked ? reply.header('content-encoding', 'gzip').send(gzip) : reply.send(plain);
}

/** Hashes of the inline scripts in `markup`, for the content security policy: ` 'sha256-…'`. */
function hashesOf(markup: string): string {
  const inline = [...markup.matchAll(/<script>([\s\S]*?)<\/script>/g)];
  return inline.map(([, code]) => ` 'sha256-${sha256(code!)}'`).join('');
}

function sha256(content: string | Buffer): string {
  return createHash('sha256').update(content).digest('base64');
}
