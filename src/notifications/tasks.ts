import type { Tasks } from "../db/jobs.ts";
import type { SenderParts, SendingChannel, Transport } from "./channels/channel.ts";
import { SENDING } from "./channels.ts";
import { deliveryTasks, notificationTransport } from "./deliveries.ts";
import { digestTasks } from "./email/digest.ts";

/** The jobs of every channel that this process can send by. */
export function channelTasks(parts: SenderParts): Tasks {
  const { db, log } = parts;
  const transports = Object.fromEntries(
    SENDING.map((channel) => [channel.name, createTransport(channel, parts)]),
  );
  const digests = SENDING.flatMap(({ delivery }) => {
    const send = delivery.sends === "digest" ? delivery.createSender(parts) : undefined;
    return send ? [digestTasks({ db, log, send })] : [];
  });
  return Object.assign(deliveryTasks({ db, log, transports }), ...digests);
}

function createTransport({ name, delivery }: SendingChannel, parts: SenderParts): Transport | undefined {
  if (delivery.sends === "event") return delivery.createTransport(parts);
  const send = delivery.sends === "notification" ? delivery.createSender(parts) : undefined;
  return send && notificationTransport(parts.db, name, send);
}
