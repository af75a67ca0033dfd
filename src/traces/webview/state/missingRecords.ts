import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { MissingData } from '../../../tracking/core/records/tracedRun.ts';

/** What the run that is shown has no record of, since the tool that recorded it kept nothing of it. */
export const MissingRecordsContext = createContext<readonly MissingData[]>([]);

/** What must have been recorded to tell whether something would train. */
export const recordsOfTraining: readonly MissingData[] = ['tokens', 'lossMask'];

/** Whether numbers of a kind mean anything: zeros stand in the place of what was not recorded. */
export function useRecorded(): (what: MissingData) => boolean {
  const lacks = useContext(MissingRecordsContext);
  return (what) => !lacks.includes(what);
}
