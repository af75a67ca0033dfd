import path from 'node:path';
import { createProject } from '../project/newProject.ts';
import { ProjectSource, type Language } from '../project/source.ts';
import { parseOptions, wrongUse } from './commandLine.ts';
import type { Subcommand } from './commandIo.ts';
import { exitCodes } from './terminalView.ts';

const options = {
  python: { type: 'boolean' },
  typescript: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const usage = `Usage: agentjet new NAME [--python|--typescript]

Makes a folder NAME with a config, a workflow, a judge, tasks and a README. The project runs with the built-in model: it
needs no network, no key and no GPU. The command never overwrites a file.

  --python               in Python (default): needs the packages of its requirements.txt
  --typescript           in TypeScript: needs no package

NAME may have letters, digits, _ and -, with a letter first; its config is NAME.yaml.

Exit code: 0, or 2 if it could not be made.`;

/** `agentjet new NAME`: the project that AgentJet: New Project makes, in the working directory. */
export function runNew(distFolder: string): Subcommand {
  return async (args, { stdout, cwd }) => {
    const { values, positionals } = parseOptions(args, options, 'agentjet new');
    if (values.help === true) {
      stdout.write(`${usage}\n`);
      return exitCodes.ok;
    }
    const [name, stray] = positionals;
    if (name === undefined) throw wrongUse('agentjet new needs a name.', 'Give one: agentjet new my_agent');
    if (stray !== undefined)
      throw wrongUse(`"${stray}" is one name too many.`, 'Make one project at a time.');
    if (values.python === true && values.typescript === true) {
      throw wrongUse('--python and --typescript exclude each other.', 'Choose one of them.');
    }
    const language = values.typescript === true ? 'typescript' : 'python';
    const source = new ProjectSource(path.join(distFolder, '..'));
    const { folder, config } = await createProject(source, { name, language, parent: cwd });
    stdout.write(nextSteps(path.relative(cwd, folder), path.basename(config), language));
    return exitCodes.ok;
  };
}

function nextSteps(folder: string, config: string, language: Language): string {
  const steps = [
    `cd ${folder}`,
    ...(language === 'python' ? ['python3 -m pip install -r requirements.txt'] : []),
    `agentjet --conf ${config}`,
  ];
  const lines = steps.map((step) => `  ${step}\n`).join('');
  return `${folder} is made. To run it:\n\n${lines}\nOr open the folder in VS Code, ${config} in it, and press F5.\n`;
}
