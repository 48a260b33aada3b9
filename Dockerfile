# docker build -t bhemu . && docker run --rm bhemu
# Everything outside the project comes from Debian, by scripts/bootstrap.

# What building takes.
FROM debian:12 AS tools
COPY scripts/bootstrap scripts/kernel-compiler /opt/bhemu/scripts/
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates git \
    && /opt/bhemu/scripts/bootstrap && rm -rf /var/lib/apt/lists/*
RUN useradd --create-home --shell /bin/bash dev && install -d -o dev -g dev /home/dev/bhemu

# What `make lint` takes, too, for .devcontainer/; the sources are the editor's.
FROM tools AS development
RUN /opt/bhemu/scripts/bootstrap lint && rm -rf /var/lib/apt/lists/*

# The command, the kernels and libttsim.so, built.
FROM tools
USER dev
WORKDIR /home/dev/bhemu
COPY --chown=dev:dev . .
RUN scripts/build release demo ttsim
CMD ["scripts/demo"]
