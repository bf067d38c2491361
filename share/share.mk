# Man pages and shell completion, made from the option table inside the tidemark command.

MAN1  := $(B)/share/man/man1
PAGES := $(MAN1)/tidemark.1 $(MAN1)/tidemark-check.1 $(MAN1)/tidemark-replay.1 $(MAN1)/tidemark-merge.1 $(MAN1)/tidemark-status.1 $(MAN1)/tidemark-litmus.1 \
         $(MAN1)/tidemark-cc.1 $(MAN1)/tidemark-c++.1
COMPLETION := $(B)/share/bash-completion/completions/tidemark
PACKAGES := $(B)/share/pkgconfig/tidemark.pc $(B)/share/cmake/Tidemark/TidemarkConfig.cmake \
            $(B)/share/cmake/Tidemark/TidemarkConfigVersion.cmake

.PHONY: man
man: $(PAGES) $(COMPLETION) $(PACKAGES)

$(B)/share/pkgconfig/%: share/%.in
	@mkdir -p $(@D)
	$(Q)sed 's/@VERSION@/$(VERSION)/' $< > $@

$(B)/share/cmake/Tidemark/%: share/%.in
	@mkdir -p $(@D)
	$(Q)sed 's/@VERSION@/$(VERSION)/' $< > $@

$(MAN1)/tidemark.1: $(B)/bin/tidemark
	@mkdir -p $(@D)
	$(Q)$< help --man > $@.new && mv $@.new $@

$(MAN1)/tidemark-cc.1: share/tidemark-cc.1.in
	@mkdir -p $(@D)
	$(Q)sed 's/@VERSION@/$(VERSION)/' $< > $@

$(MAN1)/tidemark-c++.1:
	@mkdir -p $(@D)
	$(Q)echo '.so man1/tidemark-cc.1' > $@

$(MAN1)/tidemark-%.1: $(B)/bin/tidemark
	@mkdir -p $(@D)
	$(Q)$< help --man $* > $@.new && mv $@.new $@

$(COMPLETION): share/completion/tidemark.bash
	@mkdir -p $(@D)
	$(Q)cp $< $@
