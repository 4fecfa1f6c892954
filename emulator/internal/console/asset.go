package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/understudy-sandbox/understudy/emulator/api"
)

// assetFiles are the files that pages load, and their licences.
//
//go:embed assets
var assetFiles embed.FS

// contentTypes are the types of assets, by extension. Other files are not served.
var contentTypes = map[string]string{
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".woff2": "font/woff2",
}

// assetVersion is part of the paths of all assets, so that browsers may cache them forever.
var assetVersion = sync.OnceValue(func() string {
	hash := sha256.New()
	fs.WalkDir(assetFiles, "assets", func(name string, _ fs.DirEntry, err error) error {
		text, _ := assetFiles.ReadFile(name) // of a folder: nothing
		hash.Write([]byte(name))
		hash.Write(text)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)[:6])
})

func assetLink(name string) string { return prefix + "assets/" + assetVersion() + "/" + name }

// content is the answer with a file, and one header beside its type.
type content struct {
	contentType, header, value string
	text                       []byte
}

func (c content) write(x *exchange) error {
	x.writer.Header().Set(c.header, c.value)
	x.send(http.StatusOK, c.contentType, c.text)
	return nil
}

// Asset returns a file that pages load, such as base.css.
func Asset(name string) ([]byte, error) { return assetFiles.ReadFile("assets/" + name) }

func showAsset(x *exchange) (answer, error) {
	name := strings.TrimPrefix(x.param("name"), "/")
	contentType := contentTypes[path.Ext(name)]
	text, err := Asset(name)
	if err != nil || contentType == "" || x.param("version") != assetVersion() {
		return nil, api.Because(http.StatusNotFound, "There is no such file: reload the page that asks for it")
	}
	return content{contentType, "Cache-Control", "public, max-age=31536000, immutable", text}, nil
}
