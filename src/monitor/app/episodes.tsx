/** The episodes of the run, the newest first. */
import { episodes } from './stream.ts';

export function Episodes() {
  const shown = [...episodes.value].reverse();
  if (shown.length === 0) return <p class="empty">No episode has ended yet.</p>;
  return (
    <section>
      <h2>Episodes</h2>
      <div class="scroller">
        <table>
          <thead>
            <tr>
              <th>episode</th>
              <th>purpose</th>
              <th>ended by</th>
              <th>steps</th>
              <th>return</th>
              <th>interventions</th>
              <th>filters acted</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((episode) => (
              <tr key={episode.episode}>
                <td>{episode.episode}</td>
                <td>{episode.purpose}</td>
                <td>
                  {episode.success ? '✓ ' : ''}
                  {episode.endedBy}
                </td>
                <td>{episode.steps}</td>
                <td>{episode.returnSum.toFixed(2)}</td>
                <td>
                  {episode.interventions} ({episode.interventionSteps} steps)
                </td>
                <td>{Math.round(100 * episode.costs.filterShare)} %</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
