/** The charts that a page which is a file holds as data. */
import type { ChartView } from '../../src/monitor/page/chart.ts';

export function chartsIn(markup: string): ChartView[] {
  const blocks = markup.matchAll(
    /<div class="plot"><p>[^<]*<\/p><script type="application\/json">([^<]*)<\/script><\/div>/g,
  );
  return [...blocks].map(([, json]) => JSON.parse(json!) as ChartView);
}
