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
	fs.WalkDir(assetFiles, "assets", func(name string, _ fs.DirEntry, err error) error {
		text, _ := assetFiles.ReadFile(name) // of a folder: nothing
		hash.Write([]byte(name))
		hash.Write(text)
		return err
	})
	return hex.EncodeToString(hash.Sum(nil)[:6])
})

// assetLink returns the path of an asset.
func assetLink(name string) string { return Prefix + "assets/" + assetVersion() + "/" + name }

// content is an answer that is a file, with one header beside its type.
type content struct {
	contentType, header, value string
	text                       []byte
}

func (c content) write(x *exchange) error {
	x.writer.Header().Set(c.header, c.value)
	x.send(http.StatusOK, c.contentType, c.text)
	return nil
}

func showAsset(x *exchange) (answer, error) {
	name := strings.TrimPrefix(x.param("name"), "/")
	contentType := contentTypes[path.Ext(name)]
	text, err := assetFiles.ReadFile("assets/" + name)
	if err != nil || contentType == "" || x.param("version") != assetVersion() {
		return nil, api.Because(http.StatusNotFound, "There is no such file: reload the page that asks for it")
	}
	return content{contentType, "Cache-Control", "public, max-age=31536000, immutable", text}, nil
}
