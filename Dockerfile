# The build runs on the platform of the machine and cross-compiles for the target, without emulation.
FROM --platform=$BUILDPLATFORM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG RELEASE= COMMIT= DATE=
ARG TARGETOS TARGETARCH
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH go build -trimpath \
    -ldflags "-s -w -X main.release=${RELEASE} -X main.commit=${COMMIT} -X main.date=${DATE}" -o /understudy ./cmd/understudy
# The image has no shell that could make these folders: one for temporary stores, one for a volume.
RUN mkdir -p /root-of-image/tmp /root-of-image/data

FROM scratch
COPY --from=build /understudy /understudy
COPY --from=build --chown=65532:65532 /root-of-image/ /
USER 65532:65532
ENV UNDERSTUDY_ADDR=:8080
EXPOSE 8080
HEALTHCHECK --interval=5s --timeout=3s --start-period=2s CMD ["/understudy", "healthcheck"]
ENTRYPOINT ["/understudy"]
CMD ["serve"]
