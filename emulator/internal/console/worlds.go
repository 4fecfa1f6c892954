package console

func deleteWorld(x *exchange) (answer, error) {
	return done(link("worlds"), "deleted"), x.world.Delete(x.context())
}
