/* Loads that could read several stores, as a part of a finding. */
#ifndef REPORT_TEXT_LOADS_H
#define REPORT_TEXT_LOADS_H

#include "report/text_page.h"

/* In the order of the execution, as many as the style allows. */
void text_put_loads(struct page *p, const struct finding *f);

#endif
