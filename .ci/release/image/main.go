// Command image writes the image of the Dockerfile's last stage as an OCI layout, for linux on amd64 and arm64, from binaries
// that are built already:
//
//	go run . ROOT BINARIES LAYOUT VERSION COMMIT DATE
//
// ROOT is the clone, and BINARIES a folder with linux_amd64/understudy and linux_arm64/understudy. All times are DATE.
package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

func main() {
	if len(os.Args) != 7 {
		fmt.Fprintln(os.Stderr, "usage: image ROOT BINARIES LAYOUT VERSION COMMIT DATE")
		os.Exit(2)
	}
	root, binaries, to := os.Args[1], os.Args[2], os.Args[3]
	if err := write(root, binaries, to, os.Args[4], os.Args[5], os.Args[6]); err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
}

func write(root, binaries, to, version, commit, date string) error {
	at, err := time.Parse(time.RFC3339, date)
	if err != nil {
		return err
	}
	config, err := readDockerfile(filepath.Join(root, "Dockerfile"), map[string]string{"RELEASE": version, "COMMIT": commit, "DATE": date})
	if err != nil {
		return err
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, machine := range []string{"amd64", "arm64"} {
		platform := v1.Platform{OS: "linux", Architecture: machine}
		image, err := newImage(config, platform, at, filepath.Join(root, "docs", "NOTICE"), filepath.Join(binaries, "linux_"+machine, "understudy"))
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: v1.Descriptor{Platform: &platform}})
	}
	path, err := layout.Write(to, empty.Index)
	if err != nil {
		return err
	}
	return path.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": "understudy:" + version}))
}

func newImage(config v1.Config, platform v1.Platform, at time.Time, files ...string) (v1.Image, error) {
	content, err := newLayer(at, files)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.ConfigFile(image, &v1.ConfigFile{
		OS: platform.OS, Architecture: platform.Architecture, Created: v1.Time{Time: at}, Config: config, RootFS: v1.RootFS{Type: "layers"},
	})
	if err != nil {
		return nil, err
	}
	return mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: at}, CreatedBy: "Dockerfile"}})
}

// newLayer returns a tar file with the files in its root, and the folders of the Dockerfile, to which any user may write.
func newLayer(at time.Time, files []string) ([]byte, error) {
	var content bytes.Buffer
	to := tar.NewWriter(&content)
	for _, folder := range []string{"data/", "tmp/"} {
		if err := to.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: folder, Mode: 0o1777, ModTime: at}); err != nil {
			return nil, err
		}
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		info, err := os.Stat(file)
		if err != nil {
			return nil, err
		}
		mode := int64(0o644 | info.Mode()&0o111)
		if err := to.WriteHeader(&tar.Header{Name: filepath.Base(file), Mode: mode, Size: int64(len(text)), ModTime: at}); err != nil {
			return nil, err
		}
		if _, err := to.Write(text); err != nil {
			return nil, err
		}
	}
	return content.Bytes(), to.Close()
}
