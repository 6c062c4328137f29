import type { Logger } from "pino";
import type { Tasks } from "../db/jobs.ts";
import type { Sender, SenderParts } from "./channels/channel.ts";
import { SENDING } from "./channels.ts";
import { deliveryTasks } from "./deliveries.ts";
import { digestTasks } from "./email/digest.ts";

/** The jobs of every channel that this process can send by. */
export function channelTasks({ log, ...parts }: SenderParts & { readonly log: Logger }): Tasks {
  const { db } = parts;
  const senders: Record<string, Sender | undefined> = {};
  let gathered: Tasks = {};
  for (const { name, delivery } of SENDING) {
    if (!delivery.gathered) {
      senders[name] = delivery.createSender(parts);
      continue;
    }
    const send = delivery.createSender(parts);
    if (send) gathered = { ...gathered, ...digestTasks({ db, log, send }) };
  }
  return { ...deliveryTasks({ db, log, senders }), ...gathered };
}
