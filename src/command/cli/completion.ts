/** Completion scripts for shells, made from the command tree. */
import type { Command, Option } from 'commander';
import { oneOf, type CliCommand } from '../../base/node/terminal/commandLine.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** Throws `cli/usage` for an unknown shell. */
export function completionScript(program: CliCommand, shell: string): string {
  const commands = tree(program);
  switch (oneOf('Shell', shell, shells)) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      return `#compdef agentjet\nautoload -U +X bashcompinit && bashcompinit\n${bash(commands)}`;
    case 'fish':
      return fish(commands);
  }
}

/** A command and all below it that help shows, parents first. */
export function tree(command: CliCommand): CliCommand[] {
  const visible = new Set<Command>(command.createHelp().visibleCommands(command));
  return [command, ...command.commands.filter((one) => visible.has(one)).flatMap(tree)];
}

function bash(commands: readonly CliCommand[]): string {
  const words = commands.map((command) => {
    const names = namesBelow(command);
    const flags = optionsOf(command).map(({ long }) => long ?? '');
    return `    "${command.path()}") words="${[...names, ...flags].join(' ')}" ;;\n`;
  });
  const choices = commands.flatMap((command) =>
    optionsOf(command)
      .filter(({ argChoices }) => argChoices !== undefined)
      .map(
        ({ long, argChoices }) =>
          `    "${command.path()} ${long ?? ''}") words="${argChoices?.join(' ') ?? ''}" ;;\n`,
      ),
  );
  const paths = commands.map((command) => `"${command.path()}"`).join('|');
  return `_agentjet() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" command=agentjet words= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in ${paths}) command="$command $word" ;; esac
  done
  case "$command" in
${words.join('')}  esac
  case "$command $previous" in
${choices.join('')}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ \${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- "$current"))
}
complete -o filenames -F _agentjet agentjet
`;
}

function fish(commands: readonly CliCommand[]): string {
  return commands
    .flatMap((command) => {
      const names = command.path().split(' ').slice(1);
      const below = namesBelow(command).join(' ');
      const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
      const unseen = below === '' ? [] : [`not __fish_seen_subcommand_from ${below}`];
      const condition = [...seen, ...unseen].join('; and ') || 'true';
      const start = `complete -c agentjet -n '${condition}'`;
      return [
        ...(below === '' ? [] : [`${start} -a '${below}'\n`]),
        ...optionsOf(command).map(({ long, required, argChoices }) => {
          const values = argChoices === undefined ? '' : ` -f -a '${argChoices.join(' ')}'`;
          return `${start} -l ${(long ?? '').slice(2)}${required ? ' -r' : ''}${values}\n`;
        }),
      ];
    })
    .join('');
}

function optionsOf(command: CliCommand): Option[] {
  return command.createHelp().visibleOptions(command);
}

function namesBelow(command: CliCommand): string[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => one.name());
}
