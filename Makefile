# Daily work. `make` builds the dev preset; the two commands everybody needs are ./run and ./test.
.PHONY: dev release run test check fuzz bench sim

dev:
	cmake --preset dev >/dev/null
	cmake --build --preset dev

release:
	cmake --preset release >/dev/null
	cmake --build --preset release

run:
	./run

test:
	./test

check:
	python3 -B tests/architecture/check_layers.py
	python3 -B tests/architecture/tidy.py

# make sim: 1,000 seeds. make sim SEED=7: one, with its story.
sim:
	cmake --preset release >/dev/null
	cmake --build --preset release --target weir_simulation
	build/release/bin/weir_simulation $(if $(SEED),--seed $(SEED) --trace,--seeds 1000)

fuzz:
	tests/fuzz/smoke.sh $(or $(SECONDS),60)

bench:
	cmake --preset bench >/dev/null
	cmake --build --preset bench
	for program in build/bench/bin/weir_bench_*; do $$program; done
