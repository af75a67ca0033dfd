import { scopes } from '../../core/protocol/hostRpc.ts';
import {
  choice,
  flag,
  repeated,
  text,
  integer,
  type Values,
} from '../../../base/node/terminal/commandLine.ts';

export const settingsOptions = {
  listen: text(
    '<address:port>',
    'The address to listen at (default: 127.0.0.1:7788). An address that other machines can reach needs TLS.',
  ),
  data: text('<folder>', 'The data folder of the host (default: ~/.agentjet/host).'),
  launcher: repeated(
    text(
      '<name=path>',
      'The executable for ajet or trinity (default: those on PATH). The host starts no other launchers. Can be repeated.',
    ),
  ),
  gpus: integer('<n>', 0, 'Number of GPUs (default: as nvidia-smi reports). 0: none.'),
  ray: text('<url>', 'The dashboard of a Ray cluster that runs may use, such as http://HEAD:8265.'),
  tinkerServers: text(
    '<file>',
    'A JSON file that lists the Tinker servers that clients may start, with their commands and models (default: none).',
  ),
  tls: flag(
    'Uses a self-signed certificate, which the host creates and keeps. Clients check its fingerprint.',
  ),
  tlsCert: text('<file>', 'Your certificate in PEM, with --tls-key.'),
  tlsKey: text('<file>', 'The key of your certificate in PEM, with --tls-cert.'),
};
export type SettingValues = Values<typeof settingsOptions>;

export const installOptions = {
  ...settingsOptions,
  user: flag('Installs a user service (default), in ~/.config/systemd/user.'),
  system: flag(
    'Installs a system service, in /etc/systemd/system. It runs as the user who calls sudo, with the data folder of that user.',
  ),
  print: flag('Prints the unit and installs nothing.'),
  json: flag('Prints one JSON document.'),
};
export type InstallValues = Values<typeof installOptions>;

export const dataOptions = {
  data: settingsOptions.data,
  json: flag('Prints one JSON document.'),
};
export const tokenOptions = {
  scope: repeated(choice('<name>', scopes, 'A scope of the token in addition to viewing. Can be repeated.')),
  ...dataOptions,
};
export type TokenValues = Values<typeof tokenOptions>;
export type DataValues = Values<typeof dataOptions>;

export const serveOptions = {
  ...settingsOptions,
  takeOver: flag(
    'Also uses a data folder whose last host was on another machine. Runs that are still running there are reported as lost.',
  ),
  json: flag('Prints the address as one line of JSON.'),
};
