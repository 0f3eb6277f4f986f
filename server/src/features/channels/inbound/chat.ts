// What a provider is from which one can answer: how its requests are proved, read and answered. Each is a pure file.
import type { IncomingHttpHeaders } from "node:http";
import type { ChannelConfig } from "../providers/provider.ts";

/** Somebody pressed a button. Everything in it is the provider's word. */
export interface Press {
  /** The button's value, as sealed by us. */
  value: string;
  userId: string;
  /** As the user calls themselves. */
  userName: string;
  /** Where it was pressed, in the form of `placeOf`. */
  place: string;
  /** What an answer needs. */
  replyTo: string;
}

/** What is answered to a press: to the one who pressed alone, or where the provider can, to all in the channel. */
export interface PressAnswer {
  text: string;
  isForAll: boolean;
}

export interface Chat {
  /** What a channel's configuration lacks to be answered from, by member. */
  lacks(config: ChannelConfig): { member: string; message: string }[];
  /** Where the channel's messages stand. */
  placeOf(config: ChannelConfig): string;
  /** What names the request among those handled; null: it is not the provider's, or too old. */
  prove(secret: string, headers: IncomingHttpHeaders, raw: Buffer, nowMs: number): string | null;
  /** Null: nothing that asks for anything. */
  read(raw: Buffer): Press | null;
  /** What the request is answered with, and what is posted besides; neither where nothing is to be said. */
  answer(press: Press, answer: PressAnswer): { body?: object; post?: { url: string; body: object } };
}
