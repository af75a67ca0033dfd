import path from 'node:path';
import { createProject } from '../node/project/newProject.ts';
import { ProjectSource, type Language } from '../node/project/source.ts';
import { usageError, type CommandContext } from '../../base/node/terminal/commandLine.ts';
import type { NewValues } from './options.ts';
import { exitCodes } from '../../base/node/terminal/commandIo.ts';

export async function runNew(
  { python = false, typescript = false }: NewValues,
  name: string,
  { io, distFolder }: CommandContext,
): Promise<number> {
  if (python && typescript)
    throw usageError('--python and --typescript cannot be combined.', 'Use only one of them.');
  const language = typescript ? 'typescript' : 'python';
  const source = new ProjectSource(path.join(distFolder, '..'));
  const { folder, config } = await createProject(source, { name, language, parent: io.cwd });
  io.stdout.write(nextSteps(path.relative(io.cwd, folder), path.basename(config), language));
  return exitCodes.ok;
}

function nextSteps(folder: string, config: string, language: Language): string {
  const steps = [
    `cd ${folder}`,
    ...(language === 'python' ? ['python3 -m pip install -r requirements.txt'] : []),
    `agentjet --conf ${config}`,
  ];
  const lines = steps.map((step) => `  ${step}\n`).join('');
  return `Created ${folder}. To run it:\n\n${lines}\nOr open the folder in VS Code, open ${config}, and press F5.\n`;
}
