# The build runs on the platform of the machine and cross-compiles for the target, without emulation.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
# The image has no shell that could make these folders: one for temporary stores, one for a volume. Any user may write to them.
RUN mkdir -m 1777 -p /root-of-image/tmp /root-of-image/data
COPY . .
ARG RELEASE= COMMIT= DATE=
ARG TARGETOS TARGETARCH
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath \
    -ldflags "-s -w -X main.release=${RELEASE} -X main.commit=${COMMIT} -X main.date=${DATE}" -o /understudy ./cmd/understudy

FROM scratch
COPY --from=build /root-of-image/ /
COPY --from=build /understudy /understudy
COPY docs/NOTICE /NOTICE
USER 65532:65532
# The health check finds the server by the file, also after `serve --addr :9000`. Any user may write to /dev/shm, also with
# `--read-only`.
ENV UNDERSTUDY_ADDR=:8080 UNDERSTUDY_URL_FILE=/dev/shm/understudy.url
EXPOSE 8080
HEALTHCHECK --interval=800ms --timeout=3s --start-period=10s CMD ["/understudy", "healthcheck"]
ENTRYPOINT ["/understudy"]
CMD ["serve"]
ARG RELEASE= COMMIT= DATE=
LABEL org.opencontainers.image.title=Understudy \
    org.opencontainers.image.description="A local stand-in for the hosted employment, income and tenant verification API" \
    org.opencontainers.image.version=$RELEASE \
    org.opencontainers.image.revision=$COMMIT \
    org.opencontainers.image.created=$DATE
