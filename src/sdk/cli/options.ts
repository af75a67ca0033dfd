import { flag, type Values } from '../../base/node/terminal/commandLine.ts';

export const newOptions = {
  python: flag('Creates a Python project (default). It needs the packages of its requirements.txt.'),
  typescript: flag('Creates a TypeScript project. It needs no packages.'),
};

export type NewValues = Values<typeof newOptions>;
