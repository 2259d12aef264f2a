/** Self-contained single-file pages: escaping markup templates, and the parts common to all pages. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { grouped, significant } from '../../model/index.ts';
import type { ChartView } from './chart.ts';
import { SIGNS, type SignKind } from './signs.ts';

/** Markup made by `html`. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }
}

/** Parts of a template: text and numbers are escaped, markup is not, lists are joined without separators. */
export type HtmlPart = Html | string | number | readonly HtmlPart[];

/** Markup from a template. Attributes must be in double quotes. */
export function html(pieces: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(pieces.reduce((markup, piece, i) => markup + markupOf(parts[i - 1]!) + piece));
}

export const NOTHING: Html = html``;
/** Placeholder for data without records. */
export const NOT_RECORDED: Html = html`<p class="empty">Nothing was recorded for this.</p>`;
/** Shown on narrow screens only, before content that is wider. */
export const SCROLL_HINT: Html = html`<p class="hint">Scroll sideways for the rest →</p>`;

function markupOf(part: HtmlPart): string {
  if (part instanceof Html) return part.markup;
  if (typeof part === 'string') return escaped(part);
  return typeof part === 'number' ? String(part) : part.map(markupOf).join('');
}

/** Escapes text. Control characters are replaced: they are not allowed in markup, not even escaped. */
function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
  const clean = text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g, '\ufffd');
  return clean.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}

/** Script element of JSON data, without any `<` that could end it. Numbers keep `digits` significant digits. */
export function embeddedJson(value: unknown, digits = 17): Html {
  const short = (_: string, each: unknown): unknown =>
    typeof each === 'number' ? Number(each.toPrecision(digits)) : each;
  const json = JSON.stringify(value, short).replace(
    /[<\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return html`<script type="application/json">${new Html(json)}</script>`;
}

/** Parts of a page. */
export interface Page {
  readonly title: string;
  /** Shown beside the brand, such as `run report`. */
  readonly kind: string;
  readonly header: Html;
  readonly sections: readonly Html[];
  readonly footer: Html;
}

/** Embedded data by its element, and the script that draws it. */
const DRAWN = [
  { place: '<div class="plot">', script: 'charts.js' },
  { place: '<div class="recording">', script: 'recordings.js' },
] as const;

/**
 * Renders the whole file: text that needs no script, and figures drawn by the page's own scripts. The content security
 * policy allows the page's own style sheet and scripts only.
 */
export function renderPage({ title, kind, header, sections, footer }: Page): string {
  const css = built('charts.css');
  const main = html`<main>\n${sections}\n</main>`;
  const scripts = DRAWN.filter(({ place }) => main.markup.includes(place)).map(({ script }) => built(script));
  const allowed = scripts.length === 0 ? '' : `; img-src data:; script-src ${scripts.map(hashOf).join(' ')}`;
  const { markup } = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${hashOf(css)}${allowed}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<style>${new Html(css)}</style>
</head>
<body>
<header>
<p class="brand">Rein <span>${kind}</span></p>
${header}
</header>
${scripts.length === 0 ? NOTHING : NEEDS_SCRIPT}
${main}
<footer>${footer}</footer>
${scripts.map((text) => html`<script type="module">${new Html(text)}</script>`)}
</body>
</html>
`;
  return markup;
}

const NEEDS_SCRIPT: Html = html`<noscript><p class="empty">What is drawn needs JavaScript. All else of this page is here without.</p></noscript>`;

/** Reads a file built for the pages. */
function built(name: string): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');
}

function hashOf(content: string): string {
  return `'sha256-${createHash('sha256').update(content).digest('base64')}'`;
}

/** Section with a heading; `lead` is a sentence below it. */
export function section(title: string, body: HtmlPart, lead = ''): Html {
  const id = title.toLowerCase().replace(/[^a-z]+/g, '-');
  const intro = lead === '' ? NOTHING : html`<p>${lead}</p>`;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${intro}${body}</section>\n`;
}

/** Finer than the pixels of a screen. */
const CHART_DIGITS = 7;

/** Figure: the chart, or a sentence if there is no data. Without scripts, the chart's description is shown. */
export function figure(chart: ChartView, hasData: boolean, caption: string): Html {
  const { title, description = '' } = chart;
  const body = hasData
    ? html`<div class="plot"><p>${description}</p>${embeddedJson(chart, CHART_DIGITS)}</div>`
    : NOT_RECORDED;
  return html`<figure aria-label="${title}"><h3>${title}</h3>${body}<figcaption>${caption}</figcaption></figure>`;
}

/** Figures side by side, as many as fit. */
export function charts(figures: HtmlPart): Html {
  return html`<div class="charts">${figures}</div>`;
}

export type Mood = 'good' | 'bad' | 'plain';

/** Prominent figure: label, value, basis, and mood. */
export type Card = readonly [label: string, value: string, note: string, mood: Mood];

export function cards(list: readonly Card[]): Html {
  const items = list.map(
    ([label, value, note, mood]) =>
      html`<li class="${mood}"><span class="label">${label}</span><strong>${value}</strong><span class="note">${note}</span></li>`,
  );
  return html`<ul class="cards">${items}</ul>`;
}

export function sign(kind: SignKind, word: string): Html {
  return html`<span class="sign ${kind}"><span aria-hidden="true">${SIGNS[kind]}</span> ${word}</span>`;
}

export function list(items: readonly string[]): Html {
  return html`<ul class="plain">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
}

/** Column of a table: its header, with its kind if numbers, words or meters. */
export type Column = string | { readonly head: string; readonly kind: 'number' | 'words' | 'meter' };

export const numbers = (head: string): Column => ({ head, kind: 'number' });
export const words = (head: string): Column => ({ head, kind: 'words' });
export const meters = (head: string): Column => ({ head, kind: 'meter' });

/** Table whose rows begin with their names. A row with fewer cells is inactive: its last cell spans the rest. */
export function table(columns: readonly Column[], rows: readonly (readonly HtmlPart[])[]): Html {
  const kindOf = (column: Column | undefined): Html =>
    column === undefined || typeof column === 'string' ? NOTHING : html` class="${column.kind}"`;
  const heads = columns.map(
    (each) => html`<th scope="col"${kindOf(each)}>${typeof each === 'string' ? each : each.head}</th>`,
  );
  const lines = rows.map(([name = '', ...cells]) => {
    const missing = columns.length - 1 - cells.length;
    const body = cells.map((cell, i) =>
      missing > 0 && i === cells.length - 1
        ? html`<td colspan="${missing + 1}">${cell}</td>`
        : html`<td${kindOf(columns[i + 1])}>${cell}</td>`,
    );
    return html`<tr${missing > 0 ? html` class="off"` : NOTHING}><th scope="row">${name}</th>${body}</tr>`;
  });
  const hint = columns.length > 4 ? SCROLL_HINT : NOTHING;
  return html`<div class="scroll">${hint}<table><thead><tr>${heads}</tr></thead><tbody>${lines}</tbody></table></div>`;
}

/** Share as a bar, with an interval if given; its number is to be shown beside it. */
export function meter(
  share: number,
  colour: 'blue' | 'orange' | 'green' | 'red',
  interval?: readonly [number, number],
): Html {
  const [from, to] = interval ?? [0, 0];
  const whisker = html`<rect class="whisker" x="${at(from)}" width="${at(to - from)}" y="4" height="2"/>`;
  return html`<svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="fill ${colour}" width="${at(share)}" height="10"/>${interval === undefined ? NOTHING : whisker}</svg>`;
}

function at(share: number): string {
  return (100 * Math.min(1, Math.max(0, share))).toFixed(1);
}

/** Formats a number for reading: four significant digits of a fraction, all digits of an integer, grouped in threes. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.001 || size >= 1e7)) return value.toExponential(0).replace('e+', 'e');
  const shown = Number.isInteger(value) ? value : Number(significant(value, 4));
  return size >= 1000 ? grouped(shown, '\u202f') : String(shown);
}

/** Formats a measured value with three significant digits. */
export function figureOf(value: number): string {
  return shortNumber(Number(significant(value)));
}

/** Formats a length in mm. */
export function millimetres(lengthM: number): string {
  return `${figureOf(1e3 * lengthM)} mm`;
}

/** Formats a duration, in whole seconds from a minute on. */
export function durationText(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${seconds.toFixed(1)} s`;
  return seconds < 5400 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${(seconds / 3600).toFixed(1)} h`;
}
