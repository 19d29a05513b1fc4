# An image with the program alone: `docker build --tag tangle .`, `docker run --rm --volume "$PWD:/work" tangle lint`.
FROM rust:1-bookworm AS build
WORKDIR /source
COPY . .
RUN cargo build --locked --profile dist --package tangle-lint

FROM debian:bookworm-slim
# For `--changed-since`; the files of the volume belong to another user.
RUN apt-get update \
  && apt-get install --yes --no-install-recommends git \
  && rm -rf /var/lib/apt/lists/* \
  && git config --system safe.directory '*'
COPY --from=build /source/target/dist/tangle /usr/local/bin/tangle
RUN ln -s tangle /usr/local/bin/tangle-lsp
WORKDIR /work
ENTRYPOINT ["tangle"]
