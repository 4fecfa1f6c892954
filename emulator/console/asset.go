package console

import (
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// assetFiles are what pages load. A licence goes with what it is for.
//
//go:embed assets
var assetFiles embed.FS

// contentTypes are the types of what pages load, by extension. Other files are not served.
var contentTypes = map[string]string{
	".css": "text/css; charset=utf-8",
	".js":  "text/javascript; charset=utf-8",
	".svg": "image/svg+xml",
}

// assetVersion stands in the paths of all assets, so that a browser may keep them for good.
var assetVersion = sync.OnceValue(func() string {
	hash := sha256.New()
	fs.WalkDir(assetFiles, "assets", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := assetFiles.ReadFile(name)
		hash.Write([]byte(name))
		hash.Write(text)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)[:6])
})

// assetLink returns the path of an asset.
func assetLink(name string) string { return Prefix + "assets/" + assetVersion() + "/" + name }

// assets are compressed when they are first asked for.
type assets struct {
	compressed sync.Map // by name, []byte
}

// asset is an answer that is a file.
type asset struct {
	contentType string
	text        []byte
	compressed  []byte // nil: send it as it is
}

func showAsset(x *exchange) (answer, error) {
	name := strings.TrimPrefix(x.param("name"), "/")
	contentType := contentTypes[path.Ext(name)]
	text, err := assetFiles.ReadFile("assets/" + name)
	if err != nil || contentType == "" || x.param("version") != assetVersion() {
		return nil, api.Because(http.StatusNotFound, "There is no such file: reload the page that asks for it")
	}
	a := asset{contentType: contentType, text: text}
	if x.acceptsGzip() {
		kept, ok := x.assets.compressed.Load(name)
		if !ok {
			kept, _ = x.assets.compressed.LoadOrStore(name, compress(text, gzip.BestCompression))
		}
		a.compressed = kept.([]byte)
	}
	return a, nil
}

func (a asset) write(x *exchange) error {
	header := x.writer.Header()
	header.Set("Content-Type", a.contentType)
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Vary", "Accept-Encoding")
	body := a.text
	if a.compressed != nil {
		header.Set("Content-Encoding", "gzip")
		body = a.compressed
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.writer.Write(body)
	return nil
}
