import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { ImportLack } from '../../../tracking/core/records/tracedRun.ts';

/** What the run that is shown has no record of, since the tool that recorded it kept nothing of it. */
export const MissingRecordsContext = createContext<readonly ImportLack[]>([]);

/** What must have been recorded to tell whether something would train. */
export const recordsOfTraining: readonly ImportLack[] = ['tokens', 'lossMask'];

/** Whether numbers of a kind mean anything: zeros stand in the place of what was not recorded. */
export function useRecorded(): (what: ImportLack) => boolean {
  const lacks = useContext(MissingRecordsContext);
  return (what) => !lacks.includes(what);
}
