# One image: Node and the pack (scripts/pack.ts). docs/container.md says how to run it.
ARG BASE=debian:trixie-slim
ARG BUILD_BASE=node:24-trixie-slim

FROM --platform=$BUILDPLATFORM ${BUILD_BASE} AS build
ARG TARGETARCH
WORKDIR /build
COPY package.json package-lock.json ./
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY . .
RUN --mount=type=cache,target=/root/.npm npm run pack -- ${TARGETARCH:+--cpu $(echo $TARGETARCH | sed s/amd64/x64/)} && mkdir /empty

FROM ${BUILD_BASE} AS node

FROM ${BASE}
ARG VERSION=1.0.0
ARG REVISION=
LABEL org.opencontainers.image.title="Latchkey" \
      org.opencontainers.image.description="The account service in front of OpenList" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
ENV NODE_ENV=production \
    PATH=/app:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    LATCHKEY_DATA=/data \
    LATCHKEY_COMMAND="docker compose exec latchkey latchkey"
COPY --from=node /usr/local/bin/node /usr/local/bin/node
COPY --from=build /build/.build/site /app
COPY --from=build /empty /data
VOLUME /data
EXPOSE 8787
STOPSIGNAL SIGTERM
WORKDIR /app
ENTRYPOINT ["/usr/local/bin/node", "/app/launch.cjs", "container/main"]
HEALTHCHECK --interval=30s --timeout=8s --start-period=60s CMD ["/usr/local/bin/node", "/app/launch.cjs", "container/main", "health"]
