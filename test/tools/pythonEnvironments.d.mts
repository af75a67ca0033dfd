export type PythonEnvironment =
  | 'base'
  | 'agents'
  | 'agentscope1'
  | 'ray'
  | 'trinity'
  | 'ajet'
  | 'llm'
  | 'llm_agents'
  | 'uv';

/** Its executable; where it is missing it is installed first. */
export function ensurePython(name?: PythonEnvironment): Promise<string>;
