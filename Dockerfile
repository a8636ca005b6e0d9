# The service as a container. docs/operate/container.md says how to run it.

# At least the version that package.json asks for.
FROM node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe AS base
WORKDIR /app

FROM base AS dependencies
COPY package.json package-lock.json .npmrc ./
# The optional packages are a second Node.js.
RUN --mount=type=cache,target=/root/.npm npm ci --omit=dev --omit=optional --ignore-scripts

FROM base
# The data folder is for SQLite: mount a volume there. With PostgreSQL nothing in it has to survive.
ENV COMPLIANCE_SERVICE_HOST=0.0.0.0 \
    COMPLIANCE_SERVICE_PORT=8080 \
    COMPLIANCE_SERVICE_DATA=/var/lib/compliance
RUN install --directory --owner=node --group=node --mode=0700 "$COMPLIANCE_SERVICE_DATA"
COPY --from=dependencies /app/node_modules ./node_modules
COPY package.json ./
COPY src ./src
# The user `node`. Kubernetes can only tell from a number that it is not root.
USER 1000:1000
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=10s --start-period=30s \
    CMD ["node", "--eval", "fetch('http://127.0.0.1:' + process.env.COMPLIANCE_SERVICE_PORT + '/ready').then(({ ok }) => process.exit(ok ? 0 : 1))"]
# Without npm or a shell in between, which would not pass signals on.
ENTRYPOINT ["node", "src/service/main.ts"]
