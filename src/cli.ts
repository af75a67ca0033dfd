#!/usr/bin/env node
/** The `agentjet` command. */
import process from 'node:process';
import { main } from './command/cli/main.ts';

process.exitCode = await main(process.argv.slice(2), import.meta.dirname);
