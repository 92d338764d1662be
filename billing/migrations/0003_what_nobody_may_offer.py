"""Lines of nothing, discounts above the line and endless terms: refused from now on. What was sent before stays as it was sent."""

import django.core.validators
import django.db.models.expressions
import django.db.models.functions.text
import django.db.models.lookups
from decimal import Decimal
from django.contrib.postgres.operations import AddConstraintNotValid
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('billing', '0002_frozen_rows'),
    ]

    operations = [
        migrations.AlterField(
            model_name='quoteline',
            name='count',
            field=models.DecimalField(decimal_places=4, default=Decimal('1'), max_digits=14, validators=[django.core.validators.MinValueValidator(Decimal('0.0001'))], verbose_name='count'),
        ),
        migrations.AlterField(
            model_name='quoteline',
            name='periods',
            field=models.DecimalField(decimal_places=4, default=Decimal('1'), max_digits=14, validators=[django.core.validators.MinValueValidator(Decimal('0.0001'))], verbose_name='periods'),
        ),
        migrations.AlterField(
            model_name='revision',
            name='terms',
            field=models.TextField(blank=True, max_length=6000, verbose_name='terms'),
        ),
        migrations.AlterField(
            model_name='seller',
            name='terms',
            field=models.TextField(blank=True, default='Unused time of day, week and month cards is not refunded.\nA stopped machine costs nothing for its cards; its data disk is still charged.\nUse beyond the quoted quantities is charged at the list price of the day.\nIf a node is down for more than 4 hours within 7 days, the term is extended by as many hours.', help_text='One per line.', max_length=6000, verbose_name='terms'),
        ),
        migrations.AlterField(
            model_name='seller',
            name='terms_zh',
            field=models.TextField(blank=True, default='日卡、周卡、月卡未用完的时间不退。\n关机不收显卡费，数据盘照收。\n超出部分按当日价目收费。\n7 天内节点故障超过 4 小时，按小时数顺延。', help_text='One per line.', max_length=6000, verbose_name='terms (Chinese)'),
        ),
        AddConstraintNotValid(
            model_name='quoteline',
            constraint=models.CheckConstraint(condition=models.Q(('count__gt', 0), ('periods__gt', 0), ('units_each__gt', 0)), name='line_counts_something'),
        ),
        AddConstraintNotValid(
            model_name='quoteline',
            constraint=models.CheckConstraint(condition=models.Q(('discount_amount__lte', django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(django.db.models.expressions.CombinedExpression(models.F('count'), '*', models.F('units_each')), '*', models.F('periods')), '*', models.F('unit_price')), '*', django.db.models.expressions.CombinedExpression(models.Value(1), '-', django.db.models.expressions.CombinedExpression(models.F('discount_percent'), '/', models.Value(100)))))), name='line_discount_within_sum'),
        ),
        AddConstraintNotValid(
            model_name='revision',
            constraint=models.CheckConstraint(condition=django.db.models.lookups.LessThanOrEqual(django.db.models.functions.text.Length('terms'), 6000), name='revision_terms_fit'),
        ),
    ]
